"""Migrations of the database (Alembic), and the current version."""

from collections.abc import Mapping
from pathlib import Path

SCRIPTS = Path(__file__).parent
"""The script directory of Alembic."""
HEAD = "0021"
"""The current version; a constant, so that a current database is opened without Alembic."""
READABLE = "0007"
"""The oldest version of a server's database that can be read without a migration.

A migration that adds or changes a column must put its version here, unless `STAND_INS` has a query
for the table. Others have only added tables or changed what readers do not see.
"""
COLUMN_KINDS = ("timeout", "crash", "illegal_move", "protocol_error", "memory", "pondering")
"""The kinds of forfeit that had columns in `pair_tables` before version 0015."""
STAND_INS: Mapping[str, str] = {
    "forfeits": " UNION ALL ".join(
        "SELECT division_id, board_class, a_revision_id, b_revision_id, "  # noqa: S608
        f"{offender} AS offender, '{kind}' AS termination, {side}_{kind} AS games "
        f"FROM pair_tables WHERE {side}_{kind} > 0"
        for offender, side in enumerate("ab")
        for kind in COLUMN_KINDS
    ),
    "divisions": (
        "SELECT id, key, label, boards, opening_plies, budget, openings, "
        "coalesce((to_jsonb(divisions)->>'fixed_opening')::integer, "
        "CASE WHEN opening_plies IS NULL AND openings IS NULL THEN 4 END) AS fixed_opening, "
        "NULL AS adjudicate FROM divisions"
    ),
}
"""Queries for the rows of tables that older databases lack or have without some columns; other
missing tables are empty."""
