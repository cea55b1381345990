"""The version of the tables, their creation, and the scripts of Alembic that migrate them."""

from sqlalchemy import Connection, inspect

from db.backends.backend import Backend, Place
from db.errors import Missing, NotALadderDatabase, Outdated, TooNew
from db.models import METADATA

HEAD = "0100"
"""The current version; a constant, so that a current database is opened without Alembic."""
FORMER = ("0019", "0020", "0021", "0022", "0023", "0024")
"""Versions during the development of 0.2.0, of which `db.convert` converts files."""


def stored_version(connection: Connection, place: Place) -> str | None:
    """Return the version of the database; None if it has no tables yet.

    Raises:
        NotALadderDatabase: the tables are another program's.

    """
    tables = set(inspect(connection).get_table_names())
    if {"alembic_version", "games"} <= tables:
        row = connection.exec_driver_sql("SELECT version_num FROM alembic_version").first()
        if row is not None:
            return str(row[0])
    if tables:
        raise NotALadderDatabase(
            f"{place} holds tables of another program; choose another database"
        )
    return None


def check_version(version: str | None, backend: Backend) -> None:
    """Refuse a database that is not of the current version.

    Raises:
        Missing: it has no tables yet.
        Outdated: it is of a former version.
        TooNew: this program does not know its version.

    """
    place, versions = backend.place, f"database version {version}, here {HEAD}"
    if version is None:
        raise Missing(f"{place} holds no games yet: play some first")
    if version < FORMER[0]:
        raise Outdated(
            f"{place} was written by a version of this program that is too old to be converted "
            f"({versions}; the oldest is {FORMER[0]}): choose another database"
        )
    if version in FORMER:
        raise Outdated(
            f"{place} was written by an older version of this program ({versions}): "
            f"{backend.former_advice}"
        )
    if version != HEAD:
        raise TooNew(
            f"{place} was written by another version of this program ({versions}): update this "
            "program, or open the copy that was kept beside the file"
        )


def create_tables(connection: Connection) -> None:
    """Create all tables in an empty database.

    The caller's transaction holds the write lock. So if two processes open a database at once, one
    of them creates them, and a failure leaves it empty.
    """
    METADATA.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
        "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{HEAD}')")  # noqa: S608
