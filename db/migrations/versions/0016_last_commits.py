"""The last commit of each process that writes to a server, for lost answers."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_table(
        "last_commits",
        sa.Column("writer", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("committed_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("writer", name=op.f("pk_last_commits")),
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_table("last_commits")
