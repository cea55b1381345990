"""Pairs have the plies of their games, so that lists count by them and read no game."""

from alembic import op
from sqlalchemy import Column, Integer, text

revision = "0102"
down_revision = "0101"
branch_labels = None
depends_on = None

COUNTS = (
    *("division_id", "rated", "board_class", "a_revision_id", "b_revision_id"),
    *("first_result", "second_result", "first_termination", "second_termination"),
    *("a_moves", "a_time_us", "a_max_us", "a_simulations", "a_searched_us"),
    *("b_moves", "b_time_us", "b_max_us", "b_simulations", "b_searched_us"),
    *("first_plies", "second_plies", "run_id", "started_at"),
)
"""The columns of the index of counts."""


def upgrade() -> None:
    """Add the columns, fill them in from the games, and put them into the index of counts."""
    op.drop_index("ix_pairs_counts", "pairs")
    for name in ("first_plies", "second_plies"):
        op.add_column("pairs", Column(name, Integer))
    plies = "(SELECT plies FROM games WHERE pair_id = pairs.id AND game = {})"
    op.execute(
        f"UPDATE pairs SET first_plies = {plies.format(0)}, second_plies = {plies.format(1)} "  # noqa: S608
        "WHERE first_result IS NOT NULL"
    )
    where = text("second_result IS NOT NULL")
    op.create_index("ix_pairs_counts", "pairs", COUNTS, sqlite_where=where, postgresql_where=where)
