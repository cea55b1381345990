"""Migrations of the database (Alembic), and the current version."""

from pathlib import Path

SCRIPTS = Path(__file__).parent
"""The script directory of Alembic."""
HEAD = "0100"
"""The current version; a constant, so that a current database is opened without Alembic."""
FORMER = ("0019", "0020", "0021", "0022", "0023", "0024")
"""Versions during the development of 0.2.0, which `db.convert` converts."""
