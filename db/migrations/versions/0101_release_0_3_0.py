"""Conditions stand in a division's key alone; jobs have a start, and runs their results."""

from alembic import op
from sqlalchemy import Column, Double, Text, text

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None

REPEATED = ("boards", "opening_plies", "budget", "openings", "fixed_opening", "adjudicate")


def upgrade() -> None:
    """Drop the columns that repeat the key; add one to jobs and to runs; rename one of pairs."""
    for name in REPEATED:
        op.drop_column("divisions", name)
    op.add_column("jobs", Column("started_at", Double))
    op.add_column("runs", Column("result", Text))
    op.drop_index("ix_pairs_aborted", "pairs")
    op.execute("ALTER TABLE pairs RENAME COLUMN aborts TO stalls")
    where = text("stalls > 0")
    op.create_index(
        "ix_pairs_stalled", "pairs", ["run_id"], sqlite_where=where, postgresql_where=where
    )
