"""Reading a SQLite database that cannot be written: its file, its folder, its medium, a full disk.

Even for reading, SQLite makes two files beside a database, its log of writes and their index.
Where it cannot, the first of these ways that fits is taken:

1. Both files lie there, because another process has the database open or was killed: a read-only
   connection heeds its locks and its log.
2. There is no log, so nobody has the database open: its file alone is all of it and is read as
   unchanging. Every transaction ends with a look whether that was true.
3. A log without its index, or a database of an older version: a copy in a temporary folder, made
   whole and brought up to date there.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Self

from sqlalchemy import Connection, Engine

from db import migrations
from db.backends import SqliteBackend, backend_of
from db.backends.place import Place, locate
from db.backends.sqlite import has_content, may_write
from db.beside import INDEX, JOURNAL, WAL
from db.connection.database import Database, OldSchema
from db.connection.driver_errors import border
from db.connection.retry_policy import RetryPolicy
from db.errors import DatabaseError, Locked, Unwritable
from db.migrations.upgrade import stored_version

ATTEMPTS = 3
"""How often a copy is begun anew because the database changed meanwhile."""

Stamps = tuple[tuple[int, int] | None, ...]
"""Size and time of change of a database's files; None: the file is not there."""


def open_to_read(where: str, *, busy_s: float, retry_policy: RetryPolicy | None = None) -> Database:
    """Open a database for reading, also one that cannot be written.

    A file that can be written is opened as for writing, and migrated when it is older; an older
    database on a server is read as it is.

    Raises:
        DatabaseError: one of its subclasses says why it cannot even be read.

    """
    place = locate(where)
    backend = backend_of(place, busy_s)
    if not isinstance(backend, SqliteBackend):
        return Database.open(
            where, create=False, busy_s=busy_s, retry_policy=retry_policy, old_schema=OldSchema.READ
        )
    path = backend.path
    has_content(path, create=False)
    if may_write(path):
        try:
            return Database.open(where, create=False, busy_s=busy_s)
        except Unwritable:
            pass  # a full disk
    has_log = _size(path + WAL) is not None
    if has_log and _size(path + INDEX) is not None:
        shared = _try(lambda: ReadOnlyDatabase.beside_others(backend))
        if shared is not None:
            return shared
    elif not _size(path + WAL) and _size(path + JOURNAL) is None:
        quiet = _try(lambda: ReadOnlyDatabase.of_unchanging(backend))
        if quiet is not None:
            return quiet
    return ReadOnlyDatabase.of_copy(backend)


class ReadOnlyDatabase(Database):
    """A database that this process cannot write."""

    def __init__(self, backend: SqliteBackend, engine: Engine, *, unchanging: bool) -> None:
        super().__init__(backend, engine)
        self._is_writable = False
        self._stack = ExitStack()
        self._stamps = _stamps(self.place) if unchanging else None

    @classmethod
    def beside_others(cls, backend: SqliteBackend) -> Self:
        """Read with the locks and the log of the processes that have it open."""
        return cls(backend, backend.make_reading_engine("mode=ro"), unchanging=False)

    @classmethod
    def of_unchanging(cls, backend: SqliteBackend) -> Self:
        """Read a file that nobody has open."""
        engine = backend.make_reading_engine("mode=ro&immutable=1")
        return cls(backend, engine, unchanging=True)

    @classmethod
    def of_copy(cls, backend: SqliteBackend) -> Self:
        """Copy the database into a temporary folder, which `close` removes."""
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix="ladder-reading-"))
            path = os.path.join(folder, "copy.db")
            _copy(backend.place, path)
            copy = SqliteBackend(locate(path), backend.busy_s)
            with border(backend):
                # Whole and up to date.
                Database.open(path, create=False, busy_s=backend.busy_s).close()
            database = cls(backend, copy.make_engine(), unchanging=False)
            database._stack = stack.pop_all()
            return database

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database. Raises Locked if it changed."""
        with self._unchanged(), super().reading() as connection:
            yield connection

    @contextmanager
    def streaming(self) -> Iterator[Connection]:
        """A transaction on a connection of its own. Raises Locked if the database changed."""
        with self._unchanged(), super().streaming() as connection:
            yield connection

    @contextmanager
    def writing(self, *, pipelined: bool = False, has_tables: bool = True) -> Iterator[Connection]:
        """Always refused: raises Unwritable."""
        raise Unwritable(f"{self.place} can only be read here; choose another --db to write")
        yield

    def close(self) -> None:
        """Let go of the connections, and of a copy."""
        super().close()
        self._stack.close()

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        try:
            yield
        finally:  # also after an error, which a change in the middle may have caused
            if self._stamps is not None and _stamps(self.place) != self._stamps:
                raise Locked(f"{self.place} was written while it was read here: try again")


def _try(attempt: Callable[[], "ReadOnlyDatabase"]) -> Database | None:
    """The database when it can be read so and is of this version."""
    database = attempt()
    usable = False
    try:
        with border(database.backend), database.reading() as connection:
            database.backend.check_ours(connection)
            usable = stored_version(connection, database.backend) == migrations.HEAD
    except Unwritable:
        pass
    finally:
        if not usable:
            database.close()
    return database if usable else None


def _copy(place: Place, target: str) -> None:
    for _ in range(ATTEMPTS):
        before = _stamps(place)
        try:
            for ending, stamp in zip(("", WAL, JOURNAL), before, strict=True):
                if stamp is not None:
                    shutil.copyfile(f"{place.path}{ending}", target + ending)
        except OSError as error:
            raise DatabaseError(
                f"{place} cannot be copied to be read ({error.strerror}): check its permissions "
                "and the room in the folder for temporary files"
            ) from error
        if _stamps(place) == before:
            return
        for ending in ("", WAL, JOURNAL):
            if os.path.exists(target + ending):
                os.remove(target + ending)
    raise Locked(f"{place} is being written, and this user may not join in: try again later")


def _stamps(place: Place) -> Stamps:
    found: list[tuple[int, int] | None] = []
    for ending in ("", WAL, JOURNAL):
        try:
            status = os.stat(f"{place.path}{ending}")
        except OSError:
            found.append(None)
        else:
            found.append((status.st_size, status.st_mtime_ns))
    return tuple(found)


def _size(path: str) -> int | None:
    try:
        return os.path.getsize(path)
    except OSError:
        return None
