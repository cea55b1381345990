"""Counts of the games that were lost by computing on the opponent's time."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COLUMNS = ("a_pondering", "b_pondering")


def upgrade() -> None:
    """Migrate from the version before, which knew no such games: all counts are 0."""
    for name in COLUMNS:
        op.add_column(
            "pair_tables",
            sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text("0")),
        )


def downgrade() -> None:
    """Migrate back to the version before."""
    with op.batch_alter_table("pair_tables") as batch:
        for name in COLUMNS:
            batch.drop_column(name)
