"""Divisions whose games end when their result is proven."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before, in which all games were played out."""
    op.add_column("divisions", sa.Column("adjudicate", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_column("divisions", "adjudicate")
