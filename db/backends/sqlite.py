"""SQLite: one file, opened by every process that uses it.

WAL mode with `synchronous=FULL`: readers never wait for the writer, and a committed pair survives a
power cut. A transaction that writes takes the write lock when it begins (BEGIN IMMEDIATE). If it
took the lock later, after reading, it would fail without waiting whenever another process had
written in between.
"""

import os
import sqlite3
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from db.backends.backend import CONFLICT, Backend, Place
from db.backends.locks import Connections, FileLocks, LockKind, ProcessLocks
from db.companion_files import JOURNAL, WAL, WAL_INDEX
from db.errors import (
    Busy,
    Conflict,
    Corrupt,
    DatabaseError,
    Missing,
    NotALadderDatabase,
    Unwritable,
)

APPLICATION_ID = 0x43346C64
"""Value of SQLite's header field that marks files of this program: the letters C4ld."""
CACHE_KIB = 16 * 1024
"""Page cache of a connection: the pages that storing a pair touches among a million games."""
FOLLOWER_CACHE_KIB = 2 * 1024
"""Page cache of a following connection: every commit of others empties it."""
INDEX_BLOCK = 32 * 1024
"""Bytes of the first block of a WAL's index, by SQLite's description of its WAL mode."""
WRITES = "connect4_writes"
"""Execution option of connections whose transactions begin with the write lock."""

_BY_CODE = {
    # Primary result codes of SQLite; extended codes begin with these.
    "SQLITE_BUSY": Busy,
    "SQLITE_LOCKED": Busy,
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
"""Beginning of the driver's message about text that is not UTF-8."""

_MESSAGES: dict[type[DatabaseError], str] = {
    Busy: (
        "{where} is kept busy by another process ({reason}); wait for it or stop it, then try again"
    ),
    Unwritable: (
        "{where} cannot be written ({reason}); "
        "check the folder, its permissions and the free disk space, or choose another database"
    ),
    Corrupt: ("{where} is damaged ({reason}); restore a copy, or choose another database"),
    NotALadderDatabase: "{where} is not a ladder database; choose another file",
    Conflict: "{where} " + CONFLICT,
}


class SqliteBackend(Backend):
    """A SQLite file."""

    # UnicodeDecodeError: the driver cannot decode a message that quotes a damaged schema.
    driver_errors = (DBAPIError, sqlite3.Error, UnicodeDecodeError)
    writing_options: Mapping[str, Any] = {WRITES: True}
    former_advice = (
        "run `ladder runs` where the file can be written, which converts it and keeps a copy"
    )

    def __init__(self, place: Place, busy_s: float) -> None:
        super().__init__(place, busy_s)
        self.path = str(place.path)

    def check_place(self, *, create: bool) -> None:
        """Check file and folder without opening the file. Raises Missing, Unwritable."""
        if check_file(self.path, create=create) and not is_writable_file(self.path):
            # Checked first, because SQLite would create files of this user beside it.
            raise Unwritable(
                f"{self.path} cannot be written by this user; check the permissions of the file "
                "and its folder, or choose another database"
            )

    def make_engine(self) -> Engine:
        """Create an engine whose connections wait `busy_s` for the write lock."""
        # No pool: the store keeps its connections, and closing one must close the file.
        url = self.place.url
        return _with_listeners(
            create_engine(url, poolclass=NullPool, connect_args={"timeout": self.busy_s})
        )

    def make_following_engine(self) -> Engine:
        """Create an engine whose statements cannot write. Raises Missing, Unwritable."""
        check_file(self.path, create=False)
        is_writable = is_writable_file(self.path)
        # Writable if possible, so that the last connection to close can remove the WAL.
        engine = self._open_with("mode=rw" if is_writable else "mode=ro")
        event.listen(engine, "connect", _configure_follower)
        return engine

    def make_reading_engine(self) -> Engine:
        """Create an engine for a file that cannot be written.

        Even to read, SQLite creates the WAL and its index beside a file. If both exist, because
        another process has the file open or was killed, a connection that only reads uses them.
        Without a WAL no process has the file open, and it is read as immutable.

        Raises:
            Unwritable: its folder is missing, it is a folder, or a process that was killed left
                what must be written before.

        """
        check_file(self.path, create=False)
        if self._has_wal() and os.path.exists(self.path + WAL_INDEX):
            return self._open_with("mode=ro")
        if self._has_wal() or os.path.exists(self.path + JOURNAL):
            raise Unwritable(
                f"{self.path} was left by a process that was killed: run `ladder runs` where it "
                "can be written"
            )
        return self._open_with("mode=ro&immutable=1")

    def _open_with(self, options: str) -> Engine:
        """Create an engine with options in the file's URI, such as ``mode=ro``."""
        uri = f"file:{quote(self.path)}?{options}"
        return _with_listeners(
            create_engine(
                "sqlite://",
                poolclass=NullPool,
                creator=lambda: sqlite3.connect(uri, uri=True, timeout=self.busy_s),
            )
        )

    def check_database(self, connection: Connection) -> None:
        """Refuse a file with content that lacks this program's mark.

        The connection is in a transaction, so that SQLite's locks and WAL apply: the bare file can
        be in the middle of a checkpoint. A file whose creation was interrupted is empty here.

        Raises:
            NotALadderDatabase: another program created it.

        """
        mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        if mark == APPLICATION_ID:
            return
        if connection.exec_driver_sql("PRAGMA page_count").scalar_one():
            raise NotALadderDatabase(_MESSAGES[NotALadderDatabase].format(where=self.path))

    def tables(self, connection: Connection) -> set[str]:
        """Return the names of all tables in the file."""
        found = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type='table'")
        return {name for (name,) in found}

    def mark_new(self, connection: Connection) -> None:
        """Set the mark in the file's header."""
        connection.exec_driver_sql(f"PRAGMA application_id={APPLICATION_ID}")

    def configure(self, connection: Connection) -> None:
        """Switch the file to WAL mode, which is permanent.

        The switch needs exclusive access and does not wait for it, so it is repeated: two processes
        may create a database at the same moment.
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

    def change_mark(self, connection: Connection) -> object:
        """Return SQLite's data version."""
        return connection.exec_driver_sql("PRAGMA data_version").scalar_one()

    def identity(self) -> object:
        """Return device and inode of the file; None if it is missing."""
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def stamp(self) -> object:
        """Return size and time of a file without a WAL; None beside a WAL."""
        if self._has_wal() or not os.path.exists(self.path):
            return None
        status = os.stat(self.path)
        return status.st_size, status.st_mtime_ns

    def _has_wal(self) -> bool:
        """Return whether there are changes in the WAL, or another process may write some.

        Without disk space a process leaves an empty WAL, and an index of less than a block.
        """
        wal, index = self.path + WAL, self.path + WAL_INDEX
        if not os.path.exists(wal):
            return False
        is_whole = os.path.exists(index) and os.path.getsize(index) >= INDEX_BLOCK
        return is_whole or os.path.getsize(wal) > 0

    def check_integrity(self, connection: Connection) -> list[str]:
        """Return faults of the file's structure, and references to missing rows."""
        found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        faults = [str(line) for line in found if line != "ok"]
        for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            faults.append(f"row {row} of {table} refers to a missing row of {parent}")
        return faults

    def process_locks(self, connections: Connections, kind: LockKind) -> ProcessLocks:
        """Open POSIX locks in a file beside the database. Raises Unwritable."""
        return FileLocks(self.path, kind)

    def translate(self, error: Exception) -> DatabaseError | None:
        """Translate by SQLite's result code."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        if cause is None:
            return None
        code, reason = getattr(cause, "sqlite_errorname", ""), str(cause)
        kind = next((kind for prefix, kind in _BY_CODE.items() if code.startswith(prefix)), None)
        if kind is None:
            if isinstance(cause, UnicodeDecodeError):
                reason = cause.reason
            elif reason.startswith(_NO_TEXT):  # raised by the driver itself, without a code
                reason = reason.partition(" with text")[0]
            elif not (code == "SQLITE_ERROR" and "no such" in reason):
                return None
            kind = Corrupt
        return kind(_MESSAGES[kind].format(where=self.path, reason=reason))


def check_file(path: str, *, create: bool) -> bool:
    """Return whether a SQLite file has content; if not, a database can be created there.

    Raises:
        Missing: it is missing or empty, and `create` is false.
        Unwritable: its folder is missing, or it is a folder itself.

    """
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise Unwritable(f"there is no folder {folder}; create it or choose another database")
    if os.path.isdir(path):
        raise Unwritable(f"{path} is a folder; name a database file")
    if os.path.exists(path) and os.path.getsize(path):
        return True
    if create:
        return False
    raise Missing(f"there is no database {path}; play some games first, or choose another database")


def is_writable_file(path: str) -> bool:
    """Return whether this user may write a SQLite file and create others beside it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK)


def _with_listeners(engine: Engine) -> Engine:
    event.listen(engine, "connect", _configure_connection)
    event.listen(engine, "begin", _begin)
    return engine


def _configure_connection(driver: Any, _record: object) -> None:
    driver.isolation_level = None  # the driver must not begin transactions itself
    driver.execute("PRAGMA foreign_keys=ON")
    driver.execute("PRAGMA synchronous=FULL")
    driver.execute(f"PRAGMA cache_size=-{CACHE_KIB}")


def _begin(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    writes = connection.get_execution_options().get(WRITES)
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def _configure_follower(driver: Any, _record: object) -> None:
    driver.execute("PRAGMA query_only=ON")
    driver.execute(f"PRAGMA cache_size=-{FOLLOWER_CACHE_KIB}")
