"""Reading a SQLite database that cannot be written, because of permissions or a full disk.

Even to read, SQLite creates two files beside a database, the WAL and its index. Where it cannot,
the first of these ways that fits is used:

1. Both files exist, because another process has the database open or was killed: a read-only
   connection uses them and their locks.
2. There is no WAL, so no process has the database open: the file is read as immutable. After every
   transaction its size and time are checked, to notice a writer.
3. There is a WAL without its index: a copy in a temporary folder is recovered there.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Self

from sqlalchemy import Connection, Engine

from db.backends import SqliteBackend, backend_of
from db.backends.place import Place, locate
from db.backends.sqlite import check_file, is_writable_file
from db.companion_files import JOURNAL, WAL, WAL_INDEX
from db.connection.database import Database
from db.connection.driver_errors import translate_driver_errors
from db.connection.retry_policy import RetryPolicy
from db.errors import DatabaseError, Locked, Unwritable
from db.migrations.upgrade import Converter, stored_version

ATTEMPTS = 3
"""How often to start a copy, if the database changes while it is copied."""

FILES = ("", WAL, JOURNAL)
"""Suffixes of the files that hold a database's content."""
Stamps = tuple[tuple[int, int] | None, ...]
"""Size and modification time of each file of a database; None if the file is missing."""


def open_to_read(
    where: str,
    *,
    busy_s: float,
    retry_policy: RetryPolicy | None = None,
    convert: Converter | None = None,
) -> Database:
    """Open a database for reading, even if it cannot be written.

    A writable file is opened for writing, and converted by `convert` if it is older.

    Raises:
        Outdated: it must be migrated first.
        DatabaseError: it cannot be read.

    """
    place = locate(where)
    backend = backend_of(place, busy_s)
    if not isinstance(backend, SqliteBackend):
        return Database.open(where, create=False, busy_s=busy_s, retry_policy=retry_policy)
    path = backend.path
    check_file(path, create=False)
    if is_writable_file(path):
        try:
            return Database.open(where, create=False, busy_s=busy_s, convert=convert)
        except Unwritable:
            pass  # a full disk
    database = None
    wal_size = _file_size(path + WAL)
    if wal_size is not None and _file_size(path + WAL_INDEX) is not None:
        database = _keep_if_usable(ReadOnlyDatabase.open_shared(backend))
    elif not wal_size and _file_size(path + JOURNAL) is None:
        database = _keep_if_usable(ReadOnlyDatabase.open_immutable(backend))
    return database or ReadOnlyDatabase.open_copy(backend)


class ReadOnlyDatabase(Database):
    """A database that this process cannot write."""

    def __init__(self, backend: SqliteBackend, engine: Engine, *, is_immutable: bool) -> None:
        super().__init__(backend, engine)
        self._is_writable = False
        self._stack = ExitStack()
        self._stamps = _read_stamps(self.place) if is_immutable else None

    @classmethod
    def open_shared(cls, backend: SqliteBackend) -> Self:
        """Read with the locks and the WAL of the processes that have it open."""
        return cls(backend, backend.make_reading_engine("mode=ro"), is_immutable=False)

    @classmethod
    def open_immutable(cls, backend: SqliteBackend) -> Self:
        """Read a file that no process has open."""
        engine = backend.make_reading_engine("mode=ro&immutable=1")
        return cls(backend, engine, is_immutable=True)

    @classmethod
    def open_copy(cls, backend: SqliteBackend) -> Self:
        """Copy the database to a temporary folder, which `close` removes, and read the copy."""
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix="ladder-reading-"))
            path = os.path.join(folder, "copy.db")
            _copy(backend.place, path)
            copy = SqliteBackend(locate(path), backend.busy_s)
            database = cls(backend, copy.make_engine(), is_immutable=False)
            stack.callback(database.engine.dispose)
            database._check()
            database._stack = stack.pop_all()
            return database

    def _check(self) -> None:
        """Raise DatabaseError unless it is a readable database of the current version."""
        with translate_driver_errors(self.backend), self.reading() as connection:
            self.backend.check_database(connection)
            self.check_version(stored_version(connection, self.backend))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that reads one snapshot. Raises Locked if the file changed."""
        with self._checking_stamps(), super().reading() as connection:
            yield connection

    @contextmanager
    def streaming(self) -> Iterator[Connection]:
        """Open a long reading transaction. Raises Locked if the file changed."""
        with self._checking_stamps(), super().streaming() as connection:
            yield connection

    def _check_may_write(self) -> None:
        """Raise Unwritable."""
        raise Unwritable(f"{self.place} can only be read; choose another database to write")

    def close(self) -> None:
        """Close all connections, and remove a copy."""
        super().close()
        self._stack.close()

    @contextmanager
    def _checking_stamps(self) -> Iterator[None]:
        try:
            yield
        finally:  # after an error, too: a concurrent change may have caused it
            if self._stamps is not None and _read_stamps(self.place) != self._stamps:
                raise Locked(f"{self.place} was written while it was read: try again")


def _keep_if_usable(database: ReadOnlyDatabase) -> Database | None:
    """Return a database if it is readable without writing; else close it."""
    try:
        database._check()
    except BaseException as error:
        database.close()
        if isinstance(error, Unwritable):
            return None
        raise
    return database


def _copy(
    place: Place, target: str, copy_file: Callable[[str, str], object] = shutil.copyfile
) -> None:
    """Copy a database's files, again if they change meanwhile. Raises DatabaseError."""
    for _ in range(ATTEMPTS):
        before = _read_stamps(place)
        try:
            for ending, stamp in zip(FILES, before, strict=True):
                if stamp is not None:
                    copy_file(f"{place.path}{ending}", target + ending)
        except OSError as error:
            raise DatabaseError(
                f"{place} cannot be copied to a temporary folder ({error.strerror}): check its "
                "permissions and the free disk space"
            ) from error
        if _read_stamps(place) == before:
            return
        for ending in FILES:
            if os.path.exists(target + ending):
                os.remove(target + ending)
    raise Locked(f"{place} is being written, and this user cannot lock it: try again later")


def _read_stamps(place: Place) -> Stamps:
    found: list[tuple[int, int] | None] = []
    for ending in FILES:
        try:
            status = os.stat(f"{place.path}{ending}")
        except OSError:
            found.append(None)
        else:
            found.append((status.st_size, status.st_mtime_ns))
    return tuple(found)


def _file_size(path: str) -> int | None:
    try:
        return os.path.getsize(path)
    except OSError:
        return None
