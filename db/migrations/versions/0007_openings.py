"""Sets of openings, and divisions that use them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_table(
        "opening_sets",
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("lines", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("content_hash", name=op.f("pk_opening_sets")),
    )
    op.add_column("divisions", sa.Column("openings", sa.Text(), nullable=True))


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_column("divisions", "openings")
    op.drop_table("opening_sets")
