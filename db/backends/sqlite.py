"""SQLite: one file, made and kept by the processes that use it.

It runs in WAL mode with `synchronous=FULL`: readers never wait for the writer, and a committed pair
survives a power cut. A transaction that will write takes the write lock at its beginning (BEGIN
IMMEDIATE); one that reads first and writes later would fail at once, without waiting, when another
process wrote in between.
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from db.backends.backend import CONFLICT, Backend, Connections, Token
from db.backends.file_run_lock import FileRunLock
from db.backends.place import Place
from db.backends.run_lock import RunLock
from db.errors import (
    Conflict,
    Corrupt,
    DatabaseError,
    Locked,
    Missing,
    NotALadderDatabase,
    Unwritable,
)

APPLICATION_ID = 0x43346C64
"""The SQLite header field that tells our files from others: the letters C4ld."""
CACHE_KIB = 16 * 1024
"""Page cache of a connection: holds what a pair touches of a database of a million games."""
FOLLOWER_CACHE_KIB = 2 * 1024
"""Page cache of one that follows: whatever others commit empties it."""
WRITES = "connect4_writes"
"""Execution option of a connection whose transactions take the write lock at their beginning."""

_BY_CODE = {
    # Primary result codes of SQLite; extended ones have more letters behind these.
    "SQLITE_BUSY": Locked,
    "SQLITE_LOCKED": Locked,
    "SQLITE_READONLY": Unwritable,
    "SQLITE_CANTOPEN": Unwritable,
    "SQLITE_PERM": Unwritable,
    "SQLITE_FULL": Unwritable,
    "SQLITE_IOERR": Unwritable,
    "SQLITE_CORRUPT": Corrupt,
    "SQLITE_NOTADB": NotALadderDatabase,
    "SQLITE_CONSTRAINT_FOREIGNKEY": Conflict,
    "SQLITE_CONSTRAINT_UNIQUE": Conflict,
    "SQLITE_CONSTRAINT_PRIMARYKEY": Conflict,
}

_NO_TEXT = "Could not decode to UTF-8"
"""How the driver's message about a text of damaged bytes begins."""

_SENTENCES: dict[type[DatabaseError], str] = {
    Locked: (
        "{where} is kept busy by another process ({reason}); "
        "wait for it to finish or end it, then try again"
    ),
    Unwritable: (
        "{where} cannot be written ({reason}); "
        "check the folder, its permissions and the free disk space, or choose another --db"
    ),
    Corrupt: (
        "{where} is damaged ({reason}); restore a copy, or choose another --db and leave the file"
    ),
    NotALadderDatabase: "{where} is no database of this program; choose another --db",
    Conflict: "{where} " + CONFLICT,
}


class SqliteBackend(Backend):
    """A SQLite file."""

    # The driver cannot even read SQLite's message when that names a damaged part of the schema.
    driver_errors = (DBAPIError, sqlite3.Error, UnicodeDecodeError)
    writing_options: Mapping[str, Any] = {WRITES: True}
    migrates_when_opened = True
    migration_advice = "`ladder runs` brings it up to date, and keeps a copy"

    def __init__(self, place: Place, busy_s: float) -> None:
        super().__init__(place, busy_s)
        self.path = str(place.path)

    def check_place(self, *, create: bool) -> None:
        """Look at file and folder, without opening the file. Raises Missing, Unwritable."""
        if has_content(self.path, create=create) and not may_write(self.path):
            # Asked first: SQLite would leave files of this user beside another's database.
            raise Unwritable(
                f"{self.path} cannot be written by this user; check the permissions of the file "
                "and its folder, or choose another --db"
            )

    def make_engine(self) -> Engine:
        """An engine whose connections wait `busy_s` for the write lock."""
        # No pool: the store keeps its connections, and closing one must really close the file.
        url = self.place.url
        return _listening(
            create_engine(url, poolclass=NullPool, connect_args={"timeout": self.busy_s})
        )

    def make_following_engine(self) -> Engine:
        """An engine whose statements may not write. Raises Missing, Unwritable."""
        has_content(self.path, create=False)
        is_writable = may_write(self.path)
        engine = self.make_reading_engine("mode=rw" if is_writable else "mode=ro")
        event.listen(engine, "connect", _follow)
        return engine

    def make_reading_engine(self, options: str) -> Engine:
        """An engine with options of the file's URI, such as ``mode=ro``."""
        uri = f"file:{quote(self.path)}?{options}"
        return _listening(
            create_engine(
                "sqlite://",
                poolclass=NullPool,
                creator=lambda: sqlite3.connect(uri, uri=True, timeout=self.busy_s),
            )
        )

    def check_ours(self, connection: Connection) -> None:
        """Refuse a file with content that does not carry our mark.

        In a transaction, so that SQLite's locks and its log of writes are heeded: whoever looks at
        the file past them sees states that another process is about to change, such as a checkpoint
        half done. A file that its maker left half-made is empty once SQLite has undone that.

        Raises:
            NotALadderDatabase: another program made it.

        """
        mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        if mark == APPLICATION_ID:
            return
        if connection.exec_driver_sql("PRAGMA page_count").scalar_one():
            raise NotALadderDatabase(_SENTENCES[NotALadderDatabase].format(where=self.path))

    def tables(self, connection: Connection) -> set[str]:
        """The names of all tables of the file."""
        found = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type='table'")
        return {name for (name,) in found}

    def is_writable(self, connection: Connection) -> bool:
        """Always: a file that is open for writing was found writable."""
        return True

    def mark_as_ours(self, connection: Connection) -> None:
        """Write our number into the header."""
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")

    def keep_copy(self, version: str) -> None:
        """Copy the file to ``<file>.backup-<version>``.

        An older copy of that name is kept: the new one gets a number behind it.
        """
        target, count = f"{self.path}.backup-{version}", 1
        while os.path.exists(target):
            count += 1
            target = f"{self.path}.backup-{version}-{count}"
        unfinished = target + ".tmp"
        source = sqlite3.connect(self.path)
        try:
            copy = sqlite3.connect(unfinished)
            try:
                source.backup(copy)
            finally:
                copy.close()
            os.replace(unfinished, target)
        finally:
            source.close()
            if os.path.exists(unfinished):
                os.remove(unfinished)

    @contextmanager
    def migrating(self, writer: Connection) -> Iterator[None]:
        """Turn foreign keys off meanwhile: a table is altered by copying and dropping it."""
        driver: Any = writer.connection.dbapi_connection  # SQLAlchemy would begin a transaction
        driver.execute("PRAGMA foreign_keys=OFF")
        try:
            yield
        finally:
            driver.execute("PRAGMA foreign_keys=ON")

    def settle(self, connection: Connection) -> None:
        """Switch the file to WAL, once and for all.

        The switch needs the file for itself and does not wait for it by itself, so two processes
        that make a database at the same moment would trip over each other.
        """
        driver: Any = connection.connection.dbapi_connection
        deadline = time.monotonic() + self.busy_s
        while True:
            try:
                driver.execute("PRAGMA journal_mode=WAL").fetchone()
                return
            except sqlite3.OperationalError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.01)

    def take_up(self, writer: Connection, former: int | None, held: set[int]) -> None:
        """Nothing: a file's connections are not lost, and its run locks lie beside it."""

    def begin_writing(self, connection: Connection, token: Token | None) -> None:
        """Do nothing: BEGIN IMMEDIATE has taken the lock."""

    def end_writing(self, connection: Connection) -> None:
        """Nothing: SQLAlchemy commits."""

    def was_committed(self, connection: Connection, token: Token) -> bool:
        """Return False: connections to files are not lost."""
        return False

    def pipelined(self, connection: Connection) -> AbstractContextManager[object]:
        """Nothing: there is no way to wait for."""
        return nullcontext()

    def change_mark(self, connection: Connection) -> object:
        """The number that SQLite keeps for this."""
        return connection.exec_driver_sql("PRAGMA data_version").scalar_one()

    def identity(self) -> object:
        """Device and number of the file; None where there is no file."""
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def complaints(self, connection: Connection) -> list[str]:
        """Faults of the file's structure, and rows that point at nothing."""
        found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        complaints = [str(line) for line in found if line != "ok"]
        for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            complaints.append(f"row {row} of {table} points at nothing in {parent}")
        return complaints

    def foreign_objects(self, connection: Connection) -> list[str]:
        """Triggers and views in the file."""
        query = text("SELECT type, name, tbl_name FROM sqlite_master WHERE type IN (:a, :b)")
        rows = connection.execute(query, {"a": "trigger", "b": "view"})
        return [f"{row.type} {row.name} of {row.tbl_name}" for row in rows]

    def run_lock(self, connections: Connections) -> RunLock:
        """Locks of the operating system in a file beside the database. Raises Unwritable."""
        return FileRunLock(self.path)

    def translate(self, error: Exception) -> DatabaseError | None:
        """By SQLite's result code."""
        reason = error.orig if isinstance(error, DBAPIError) else error
        if reason is None:
            return None
        code = getattr(reason, "sqlite_errorname", "")
        for prefix, kind in _BY_CODE.items():
            if code.startswith(prefix):
                return kind(_SENTENCES[kind].format(where=self.path, reason=reason))
        if isinstance(reason, UnicodeDecodeError):
            return Corrupt(_SENTENCES[Corrupt].format(where=self.path, reason=reason.reason))
        if str(reason).startswith(_NO_TEXT):  # by the driver itself, which has no code for it
            which = str(reason).partition(" with text")[0]
            return Corrupt(_SENTENCES[Corrupt].format(where=self.path, reason=which))
        if code == "SQLITE_ERROR" and "no such" in str(reason):
            return Corrupt(_SENTENCES[Corrupt].format(where=self.path, reason=reason))
        return None


def has_content(path: str, *, create: bool) -> bool:
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


def may_write(path: str) -> bool:
    """Whether this user may write a SQLite file and make others beside it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)


def _listening(engine: Engine) -> Engine:
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(driver: Any, _record: object) -> None:
    driver.isolation_level = None  # the driver must not begin transactions on its own
    driver.execute("PRAGMA foreign_keys=ON")
    driver.execute("PRAGMA synchronous=FULL")
    driver.execute(f"PRAGMA cache_size=-{CACHE_KIB}")


def _begin(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    writes = connection.get_execution_options().get(WRITES)
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def _follow(driver: Any, _record: object) -> None:
    driver.execute("PRAGMA query_only=ON")
    driver.execute(f"PRAGMA cache_size=-{FOLLOWER_CACHE_KIB}")
