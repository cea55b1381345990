"""Conditions stand in a division's key alone; jobs have a start, and runs their results."""

from alembic import op
from sqlalchemy import Column, Double, Text

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None

REPEATED = ("boards", "opening_plies", "budget", "openings", "fixed_opening", "adjudicate")


def upgrade() -> None:
    """Drop the columns of divisions that repeat the key; add one to jobs and one to runs."""
    for name in REPEATED:
        op.drop_column("divisions", name)
    op.add_column("jobs", Column("started_at", Double))
    op.add_column("runs", Column("result", Text))
