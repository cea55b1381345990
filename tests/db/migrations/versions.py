"""Databases of other versions."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from db import migrations
from db.backends.place import locate


def go_back(place: str, version: str) -> None:
    """Migrate a database back to an earlier version."""
    # An engine of its own: dropping a column copies the table, which foreign keys would forbid.
    engine = create_engine(locate(place).url, poolclass=NullPool)
    with engine.begin() as connection:
        command.downgrade(_config(connection), version)


def run_migrations(connection: Connection) -> None:
    """Create the tables of an empty database by all migrations."""
    command.upgrade(_config(connection), "head")


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS))
    config.attributes["connection"] = connection
    return config
