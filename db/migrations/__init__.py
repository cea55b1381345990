"""Migrations of the database (Alembic), and the version that the program needs."""

from pathlib import Path

SCRIPTS = Path(__file__).parent
"""The script directory of Alembic."""
HEAD = "0015"
"""The newest version; a constant so that an up-to-date database is opened without Alembic."""
