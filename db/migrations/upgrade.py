"""Bring a database to the newest version.

Everything happens under the write lock, in one transaction: two processes that open a new or an
older file at once do it once, and a failure half-way leaves the file as it was.
"""

from sqlalchemy import Connection

from db import migrations
from db.backends import Backend
from db.errors import NotALadderDatabase, TooNew


def stored_version(connection: Connection, backend: Backend) -> str | None:
    """The version of the database; None when it has no tables yet.

    Raises:
        NotALadderDatabase: there are tables, but not that of our versions.

    """
    tables = backend.tables(connection)
    if "alembic_version" in tables:
        row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
        if row is not None:
            return str(row[0])
    if tables - {"alembic_version"}:
        raise NotALadderDatabase(f"{backend.place} holds tables of another program")
    return None


def check_known(version: str, backend: Backend) -> None:
    """Raise TooNew if a version of the tables is unknown here."""
    if not any((migrations.SCRIPTS / "versions").glob(f"{version}_*.py")):
        raise TooNew(
            f"{backend.place} was written by a newer version of this program "
            f"(database version {version}, here {migrations.HEAD}); update the program"
        )


def upgrade(connection: Connection, backend: Backend) -> None:
    """Make the tables, or migrate older ones after a backup copy.

    The connection is in a transaction that holds the write lock; the caller commits it.

    Raises:
        NotALadderDatabase: the tables are another program's.
        TooNew: the version is unknown here.

    """
    version = stored_version(connection, backend)
    if version == migrations.HEAD:
        return
    if version is not None:
        check_known(version, backend)
    # Imported only here: it takes a tenth of a second that an up-to-date database need not pay.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations.SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    if version is not None:
        backend.keep_copy(version)
    else:
        backend.mark_as_ours(connection)
    command.upgrade(config, "head")
