"""The opening plies of divisions that have no number for all boards."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before.

    Its default was always 4 plies for board classes with a single board, such as ``6x7``.
    """
    op.add_column("divisions", sa.Column("fixed_opening", sa.Integer(), nullable=True))
    op.execute(
        "UPDATE divisions SET fixed_opening = 4 WHERE opening_plies IS NULL AND openings IS NULL"
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_column("divisions", "fixed_opening")
