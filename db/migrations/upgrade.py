"""Creation and migration of the tables.

Both happen in one transaction that holds the write lock. So if two processes open a file at once,
one of them does it, and a failure leaves the file as it was.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from db import migrations
from db.backends import Backend
from db.errors import NotALadderDatabase, Outdated, TooNew
from db.models import Base

Converter = Callable[[Connection, Backend, str], None]
"""Replaces the tables of a former version by the current ones, with their rows."""


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
    """Refuse a version that this program cannot bring up to date.

    Raises:
        TooNew: a newer version of this program wrote it.
        Outdated: it is older than `migrations.FORMER`.

    """
    versions = f"database version {version}, here {migrations.HEAD}"
    if version < migrations.FORMER[0]:
        raise Outdated(
            f"{backend.place} was written by a version of this program that is too old to be "
            f"converted ({versions}; the oldest is {migrations.FORMER[0]}): choose another database"
        )
    if version not in (*migrations.FORMER, migrations.HEAD):
        raise TooNew(
            f"{backend.place} was written by another version of this program ({versions}): update "
            "this program, or open the copy that was kept beside the file"
        )


def upgrade(connection: Connection, backend: Backend, convert: Converter) -> None:
    """Create the tables, or convert a database of a former version.

    Args:
        connection: in a transaction that holds the write lock; the caller commits it.
        backend: of the database.
        convert: converts a former version.

    Raises:
        NotALadderDatabase: the tables are another program's.
        TooNew: this program does not know the version.
        Outdated: it is too old.

    """
    version = stored_version(connection, backend)
    if version == migrations.HEAD:
        return
    if version is None:
        create_tables(connection, backend)
        return
    check_known(version, backend)
    convert(connection, backend, version)


def create_tables(connection: Connection, backend: Backend) -> None:
    """Create all tables in an empty database."""
    backend.mark_new(connection)
    Base.metadata.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
        "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{migrations.HEAD}')")  # noqa: S608
