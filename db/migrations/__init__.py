"""The version of the tables, their creation, and the scripts of Alembic that migrate them."""

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, create_mock_engine, inspect
from sqlalchemy.engine.mock import MockConnection
from sqlalchemy.schema import ExecutableDDLElement

from db.backends.backend import Backend, Place
from db.errors import Missing, NotALadderDatabase, Outdated, TooNew
from db.models import METADATA

HEAD = "0102"
"""The current version; a constant, so that a current database is opened without Alembic."""
MIGRATED = ("0100", "0101")
"""The former versions that the scripts migrate, oldest first."""


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
    if version in MIGRATED:
        raise Outdated(
            f"{place} was written by an older version of this program ({versions}): "
            f"{backend.migration_advice}"
        )
    if version < MIGRATED[0]:
        raise Outdated(
            f"{place} was written while release 0.2.0 was developed ({versions}): open it once "
            "with 0.2.0, which converts it, or choose another database"
        )
    if version != HEAD:
        raise TooNew(
            f"{place} was written by a newer version of this program ({versions}): update this "
            "program, or open the copy that was kept beside the file"
        )


def migrate(connection: Connection) -> None:
    """Migrate an older database to the current version, in the caller's transaction."""
    from alembic import command  # only needed here, and takes long to load
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def create_tables(connection: Connection) -> None:
    """Create all tables in an empty database.

    The caller's transaction holds the write lock. So if two processes open a database at once, one
    of them creates them, and a failure leaves it empty.
    """
    for statement in _creation(connection.dialect.name):
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
        "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.exec_driver_sql(f"INSERT INTO alembic_version VALUES ('{HEAD}')")  # noqa: S608


@cache
def _creation(kind: str) -> list[str]:
    """Return the statements that create the tables in a kind of database.

    Tests and previews create many databases in a process.
    """
    found: list[str] = []

    def note(statement: ExecutableDDLElement, *_: object, **__: object) -> None:
        found.append(str(statement.compile(dialect=engine.dialect)))

    engine: MockConnection = create_mock_engine(f"{kind}://", note)
    METADATA.create_all(engine, checkfirst=False)
    return found
