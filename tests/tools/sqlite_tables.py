"""Writes the tables of a new SQLite file after a new migration.

``python -m tests.tools.sqlite_tables``
"""

from sqlalchemy import create_engine

from db import migrations
from db.backends.sqlite import TABLES
from tests.db.migrations.versions import run_migrations

QUERY = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"


def statements() -> str:
    """Return the statements that create what all migrations create."""
    with create_engine("sqlite://").connect() as connection:
        run_migrations(connection)
        made = connection.exec_driver_sql(f"{QUERY} ORDER BY rowid").scalars().all()
    version = f"INSERT INTO alembic_version VALUES ('{migrations.HEAD}')"  # noqa: S608
    return "".join(f"{statement};\n" for statement in (*made, version))


if __name__ == "__main__":
    TABLES.write_text(statements())
