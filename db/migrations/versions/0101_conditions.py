"""A division's conditions stand in its key alone, so that a new one needs no column."""

from alembic import op

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None

REPEATED = ("boards", "opening_plies", "budget", "openings", "fixed_opening", "adjudicate")


def upgrade() -> None:
    """Drop the columns of divisions that repeat the key."""
    for name in REPEATED:
        op.drop_column("divisions", name)
