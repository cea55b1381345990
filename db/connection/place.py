"""Reaching a database: where it is, how its connections are set up.

SQLite runs in WAL mode with `synchronous=FULL`: readers never wait for the writer, and a
committed pair survives a power cut. A transaction that will write takes the write lock at its
beginning (BEGIN IMMEDIATE); one that reads first and writes later would fail at once, without
waiting, when another process wrote in between.
"""

import os
import sqlite3
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from db.errors import DatabaseError, Missing, NotOurs, Unwritable

APPLICATION_ID = 0x43346C64
"""The SQLite header field that tells our files from others: the letters C4ld."""
CACHE_KIB = 16 * 1024
"""Page cache of a connection: holds what a pair touches of a database of a million games."""
WRITES = "connect4_writes"
"""Execution option of a connection whose transactions take the write lock at their beginning."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database is."""

    url: URL
    path: str | None
    """The absolute path of a SQLite file; None for a server."""

    def __str__(self) -> str:
        return self.path or self.url.render_as_string(hide_password=True)


def locate(where: str) -> Place:
    """A place from a file path or, when it holds ``://``, a URL.

    Raises:
        DatabaseError: the URL cannot be read or names neither SQLite nor PostgreSQL.

    """
    if "://" not in where:
        path = os.path.abspath(os.path.expanduser(where))
        return Place(URL.create("sqlite", database=path), path)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError) as error:
        raise DatabaseError(
            f"{where!r} is no database URL: use a file path or postgresql+psycopg://..."
        ) from error
    kind = url.get_backend_name()
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise DatabaseError("a database in memory cannot be shared: name a file")
        return locate(str(url.database))
    if kind != "postgresql":
        raise DatabaseError(f"databases are SQLite files or PostgreSQL, not {kind!r}")
    return Place(url, None)


def check_path(path: str, *, create: bool) -> bool:
    """Look whether a SQLite file has content, without opening it.

    False means that it is missing or empty, so that a database can be made there.

    Raises:
        Missing: it is missing or empty and `create` is false.
        Unwritable: its folder is missing, or it is a folder itself.

    """
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise Unwritable(f"there is no folder {folder}; create it or choose another --db")
    if os.path.isdir(path):
        raise Unwritable(f"{path} is a folder; --db names a file")
    if os.path.exists(path) and os.path.getsize(path):
        return True
    if create:
        return False
    raise Missing(f"there is no database {path}; play some games first, or choose another --db")


def is_writable(path: str) -> bool:
    """Whether this user may write a SQLite file and make others beside it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)


def check_mark(connection: Connection, path: str) -> None:
    """Refuse a SQLite file with content that does not carry our mark.

    In a transaction, so that SQLite's locks and its log of writes are heeded: whoever looks at
    the file past them sees states that another process is about to change, such as a checkpoint
    half done. A file that its maker left half-made is empty once SQLite has undone that.

    Raises:
        NotOurs: another program made it.

    """
    mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    if mark != APPLICATION_ID and connection.exec_driver_sql("PRAGMA page_count").scalar_one():
        raise NotOurs(f"{path} is no database of this program; choose another --db")


def make_engine(place: Place, *, busy_s: float) -> Engine:
    """An engine whose connections are set up as this module's introduction says.

    Raises:
        DatabaseError: the driver of the URL is not installed.

    """
    if place.path is None:
        try:
            engine = create_engine(place.url, pool_pre_ping=True)
        except (ImportError, NoSuchModuleError) as error:
            raise DatabaseError(
                f"{place.url.drivername} needs a driver that is not installed ({error})"
            ) from error
        event.listen(engine, "begin", _begin_postgresql)
        return engine
    # No pool: the store keeps its connections, and closing one must really close the file.
    engine = create_engine(place.url, poolclass=NullPool, connect_args={"timeout": busy_s})
    return _listening(engine)


def make_reading_engine(place: Place, options: str, *, busy_s: float) -> Engine:
    """An engine for a SQLite file with options of its URI, such as ``mode=ro``."""
    uri = f"file:{quote(str(place.path))}?{options}"
    return _listening(
        create_engine(
            "sqlite://",
            poolclass=NullPool,
            creator=lambda: sqlite3.connect(uri, uri=True, timeout=busy_s),
        )
    )


def _listening(engine: Engine) -> Engine:
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up(driver: Any, _record: object) -> None:
    driver.isolation_level = None  # the driver must not begin transactions on its own
    driver.execute("PRAGMA foreign_keys=ON")
    driver.execute("PRAGMA synchronous=FULL")
    driver.execute(f"PRAGMA cache_size=-{CACHE_KIB}")


def _begin_sqlite(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    writes = connection.get_execution_options().get(WRITES)
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(WRITES):
        # One writer at a time, as with SQLite: what was read stays true until the commit.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({APPLICATION_ID})")


def use_wal(connection: Connection, *, busy_s: float) -> None:
    """Switch a SQLite file to WAL, once and for all; outside a transaction.

    The switch needs the file for itself and does not wait for it by itself, so two processes
    that make a database at the same moment would trip over each other.
    """
    driver: Any = connection.connection.dbapi_connection
    deadline = time.monotonic() + busy_s
    while True:
        try:
            driver.execute("PRAGMA journal_mode=WAL").fetchone()
            return
        except sqlite3.OperationalError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
