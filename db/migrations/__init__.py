"""How a database gets from one version to the next (Alembic), and the version it must have."""

from pathlib import Path

SCRIPTS = Path(__file__).parent
"""The script directory of Alembic."""
HEAD = "0014"
"""The newest version; a constant so that an up-to-date database is opened without Alembic."""
