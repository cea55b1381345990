"""SQLite: one file, opened by every process that uses it.

WAL mode with `synchronous=FULL`: readers never wait for the writer, and a committed pair survives a
power cut. A transaction that writes takes the write lock when it begins (BEGIN IMMEDIATE). If it
took the lock later, after reading, it would fail without waiting whenever another process had
written in between.
"""

import functools
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Dialect, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from sqlalchemy.util import LRUCache

from db.backends.backend import BUSY, CONFLICT, Backend, KnownFailure, OpenMode, Place
from db.companion_files import JOURNAL, WAL, WAL_INDEX
from db.errors import (
    Busy,
    Conflict,
    Corrupt,
    Locked,
    Missing,
    NotALadderDatabase,
    Outdated,
    Unwritable,
)
from db.models import METADATA

APPLICATION_ID = 0x43346C64
"""Value of SQLite's header field that marks files of this program: the letters C4ld."""
CACHE_KIB = 16 * 1024
"""Page cache of a connection: the pages that storing a pair touches among a million games."""
INDEX_BLOCK = 32 * 1024
"""Bytes of the first block of a WAL's index, by SQLite's description of its WAL mode."""
WRITES = "connect4_writes"
"""Execution option of connections whose transactions begin with the write lock."""

_STATEMENTS: LRUCache[Any, Any] = LRUCache(500)
"""The compiled statements of all engines, which each page of `ladder serve` uses again."""
_DAMAGED = KnownFailure(
    ("SQLITE_CORRUPT",),
    Corrupt,
    "is damaged ({reason}); restore a copy, or choose another database",
)
_FOREIGN = KnownFailure(
    ("SQLITE_NOTADB",), NotALadderDatabase, "is not a ladder database; choose another file"
)
_OTHER_TABLES = KnownFailure(
    (),
    Outdated,
    "has other tables than this version of the program ({reason}): another revision of its "
    "development wrote it; use that one, or restore a copy",
)
_OTHER = "another process ({reason})"
_NO_TEXT = "Could not decode to UTF-8"
"""Beginning of the driver's message about text that is not UTF-8."""


@event.listens_for(METADATA, "after_create")
def _mark(_tables: object, connection: Connection, **_: object) -> None:
    """Mark a new file as this program's, in the transaction that creates its tables."""
    if connection.dialect.name == "sqlite":
        connection.execute(text(f"PRAGMA application_id={APPLICATION_ID}"))


class SqliteBackend(Backend):
    """A SQLite file."""

    # UnicodeDecodeError: the driver cannot decode a message that quotes a damaged schema.
    driver_errors = (DBAPIError, sqlite3.Error, UnicodeDecodeError)
    code_attribute = "sqlite_errorname"
    failures = (
        KnownFailure(("SQLITE_BUSY", "SQLITE_LOCKED"), Busy, BUSY.format(who=_OTHER)),
        KnownFailure(
            tuple(f"SQLITE_{kind}" for kind in ("READONLY", "CANTOPEN", "PERM", "FULL", "IOERR")),
            Unwritable,
            "cannot be written ({reason}); check the disk, its free space and the folder's "
            "permissions, or choose another database",
        ),
        KnownFailure(
            tuple(f"SQLITE_CONSTRAINT_{kind}" for kind in ("FOREIGNKEY", "UNIQUE", "PRIMARYKEY")),
            Conflict,
            CONFLICT,
        ),
        _DAMAGED,
        _FOREIGN,
    )
    migration_advice = "`ladder runs` migrates it where the file can be written, and keeps a copy"
    writing_options: Mapping[str, Any] = {WRITES: True}

    def __init__(self, place: Place, busy_s: float) -> None:
        super().__init__(place, busy_s)
        self.path = str(place.path)
        self._identity: object = None
        """Device and inode of the file that was opened."""
        self._stamp: object = None
        """Size and time of a file that is read as immutable."""

    def make_engine(self, mode: OpenMode) -> Engine:
        """Create an engine whose connections wait `busy_s` for the write lock.

        Even to read, SQLite creates the WAL and its index beside a file. If both exist, because
        another process has the file open or was killed, a connection that only reads uses them.
        Without a WAL no process has the file open, and it is read as immutable.

        Raises:
            Missing: the file is missing or empty.
            Unwritable: its folder is missing, it is a folder, it cannot be written in a mode that
                writes, or a process that was killed left what must be written before.

        """
        self._identity = self._read_identity()
        is_writable = self._check_file(mode)
        options = "mode=rwc" if mode is OpenMode.CREATE else "mode=rw"
        # A follower could write, so that the last connection to close can remove the WAL.
        if mode is OpenMode.READ or (mode is OpenMode.FOLLOW and not is_writable):
            options = self._reading_options()
        uri = f"file:{quote(os.fsencode(self.path))}?{options}"
        pragmas = ["foreign_keys=ON", "synchronous=FULL", f"cache_size=-{CACHE_KIB}"]
        if mode is OpenMode.FOLLOW:
            pragmas.append("query_only=ON")

        def connect() -> sqlite3.Connection:
            # Without isolation level, as the driver must not begin transactions itself.
            driver = sqlite3.connect(
                uri,
                uri=True,
                timeout=self.busy_s,
                isolation_level=None,
                check_same_thread=False,
            )
            for pragma in pragmas:
                driver.execute(f"PRAGMA {pragma}")
            return driver

        # No pool: the store keeps its connections, and closing one must close the file.
        shared = {"compiled_cache": _STATEMENTS}
        engine = create_engine(
            "sqlite://", poolclass=NullPool, creator=connect, execution_options=shared
        )
        engine.dialect = _dialect()
        event.listen(engine, "begin", _begin)
        return engine

    def _check_file(self, mode: OpenMode) -> bool:
        """Return whether this user may write the file, and create others beside it."""
        path, folder = self.path, os.path.dirname(self.path)
        if not os.path.isdir(folder):
            raise Unwritable(f"there is no folder {folder}; create it or choose another database")
        if os.path.isdir(path):
            raise Unwritable(f"{path} is a folder; name a database file")
        is_empty = not os.path.exists(path) or os.path.getsize(path) == 0
        if is_empty and mode is not OpenMode.CREATE:
            raise Missing(
                f"there is no database {path}; play some games first, or choose another database"
            )
        is_writable = os.access(path, os.W_OK) and os.access(folder, os.W_OK)
        if mode.writes and not is_empty and not is_writable:
            # Checked first, because SQLite would create files of this user beside it.
            raise Unwritable(
                f"{path} cannot be written by this user; check the permissions of the file "
                "and its folder, or choose another database"
            )
        return is_writable

    def _reading_options(self) -> str:
        """Return the options for a file that cannot be written. Raises Unwritable."""
        if self._has_wal() and os.path.exists(self.path + WAL_INDEX):
            return "mode=ro"
        if self._has_wal() or os.path.exists(self.path + JOURNAL):
            raise Unwritable(
                f"{self.path} was left by a process that was killed: run `ladder runs` where it "
                "can be written"
            )
        self._stamp = self._read_stamp()
        return "mode=ro&immutable=1"

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
            raise NotALadderDatabase(f"{self.path} {_FOREIGN.message}")

    def configure(self, connection: Connection) -> None:
        """Switch the file to WAL mode, which is permanent."""
        driver: Any = connection.connection.dbapi_connection
        driver.execute("PRAGMA journal_mode=WAL").fetchone()
        self._identity = self._read_identity()  # a new file has none before

    def copy_beside(self, version: str) -> str | None:
        """Copy the file to ``<file>.backup-<version>``, or ``...-2`` if that exists."""
        target, count = f"{self.path}.backup-{version}", 1
        while os.path.exists(target):
            count += 1
            target = f"{self.path}.backup-{version}-{count}"
        unfinished = f"{target}.{os.getpid()}.tmp"
        try:
            with (
                closing(sqlite3.connect(self.path)) as source,
                closing(sqlite3.connect(unfinished)) as copy,
            ):
                source.backup(copy)
            os.replace(unfinished, target)
        finally:
            if os.path.exists(unfinished):
                os.remove(unfinished)
        return target

    def change_mark(self, connection: Connection) -> object:
        """Return SQLite's data version."""
        return connection.exec_driver_sql("PRAGMA data_version").scalar_one()

    @property
    def is_replaced(self) -> bool:
        """Whether the file was deleted or replaced by another one."""
        return self._identity is not None and self._read_identity() != self._identity

    def _read_identity(self) -> object:
        """Return device and inode of the file; None if it is missing."""
        try:
            status = os.stat(self.path)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def check_unchanged(self) -> None:
        """Refuse what was read from an immutable file that was written. Raises Locked."""
        if self._stamp is not None and self._read_stamp() != self._stamp:
            raise Locked(f"{self.path} was written while it was read: try again")

    def _read_stamp(self) -> object:
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

    def find_failure(self, cause: BaseException, code: str) -> KnownFailure | None:
        """Return damage for text that is not UTF-8, and what a missing table or column means."""
        text = str(cause)
        is_unreadable = isinstance(cause, UnicodeDecodeError) or text.startswith(_NO_TEXT)
        if code == "SQLITE_ERROR" and "no such" in text:
            return _OTHER_TABLES
        return _DAMAGED if is_unreadable else None

    def shorten(self, cause: BaseException) -> str:
        """Return the driver's message without the text that it quotes."""
        if isinstance(cause, UnicodeDecodeError):
            return cause.reason
        text = str(cause)
        return text.partition(" with text")[0] if text.startswith(_NO_TEXT) else text


@functools.cache
def _dialect() -> Dialect:
    """Return the dialect of all engines: a compiled statement belongs to one."""
    with create_engine("sqlite://", poolclass=NullPool).connect() as connection:
        return connection.dialect


def _begin(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    writes = connection.get_execution_options().get(WRITES)
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
