"""Databases of earlier versions."""

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from db import migrations
from db.backends.place import locate


def go_back(place: str, version: str) -> None:
    """Migrate a database back to an earlier version."""
    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS))
    # An engine of its own: dropping a column copies the table, which foreign keys would forbid.
    engine = create_engine(locate(place).url, poolclass=NullPool)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, version)
