"""Migrations of the database (Alembic), and the current version."""

from pathlib import Path

SCRIPTS = Path(__file__).parent
"""The script directory of Alembic."""
HEAD = "0024"
"""The current version; a constant, so that a current database is opened without Alembic."""
