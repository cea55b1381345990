"""Migrations of the database (Alembic), and the version that the program needs."""

from collections.abc import Mapping
from pathlib import Path

SCRIPTS = Path(__file__).parent
"""The script directory of Alembic."""
HEAD = "0015"
"""The newest version; a constant so that an up-to-date database is opened without Alembic."""
READABLE = "0007"
"""The oldest version of a server's database that can be read without a migration.

Later migrations only added tables, or changed what a reader does not notice. A migration that adds
or changes a column must put its own version here.
"""
STAND_INS: Mapping[str, str] = {}
"""Queries for the rows of tables that older databases lack; without one a table counts as empty."""
