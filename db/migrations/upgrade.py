"""Creation and migration of the tables.

Both happen in one transaction that holds the write lock. So if two processes open a file at once,
one of them does it, and a failure leaves the file as it was.
"""

from sqlalchemy import Connection

from db import migrations
from db.backends import Backend
from db.errors import NotALadderDatabase, TooNew


def stored_version(connection: Connection, backend: Backend) -> str | None:
    """Return the version of the database; None if it has no tables yet.

    Raises:
        NotALadderDatabase: the tables are another program's.

    """
    tables = backend.tables(connection)
    if "alembic_version" in tables:
        row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
        if row is not None:
            return str(row[0])
    if tables - {"alembic_version"}:
        raise NotALadderDatabase(
            f"{backend.place} holds tables of another program; choose another database"
        )
    return None


def check_known(version: str, backend: Backend) -> None:
    """Raise TooNew if this program does not know a version."""
    if not any((migrations.SCRIPTS / "versions").glob(f"{version}_*.py")):
        raise TooNew(
            f"{backend.place} was written by a newer version of this program "
            f"(database version {version}, here {migrations.HEAD}); update this program"
        )


def upgrade(connection: Connection, backend: Backend) -> None:
    """Create the tables, or back the database up and migrate older ones.

    Args:
        connection: in a transaction that holds the write lock; the caller commits it.
        backend: of the database.

    Raises:
        NotALadderDatabase: the tables are another program's.
        TooNew: this program does not know the version.

    """
    version = stored_version(connection, backend)
    if version == migrations.HEAD:
        return
    if version is not None:
        check_known(version, backend)
    elif backend.create_tables(connection):
        return
    # Imported only here: it takes 0.1 s, which a current database does not need.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    if version is not None:
        backend.back_up(version)
    command.upgrade(config, "head")
