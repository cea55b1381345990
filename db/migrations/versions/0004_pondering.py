"""The aggregate counts games that were lost by thinking on the opponent's time."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COLUMNS = ("a_pondering", "b_pondering")


def upgrade() -> None:
    """Go to this version: no game of an earlier one was lost so, hence 0."""
    for name in COLUMNS:
        op.add_column(
            "pair_tables",
            sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text("0")),
        )


def downgrade() -> None:
    """Go back to the version before."""
    with op.batch_alter_table("pair_tables") as batch:
        for name in COLUMNS:
            batch.drop_column(name)
