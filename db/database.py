"""An open database: one connection that reads, one that writes, and transactions on them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import SQLAlchemyError

from db import migrations
from db.backends import Backend, backend_of
from db.backends.backend import BUSY, locate
from db.backends.locks import HeldLock, LockKind, ProcessLocks
from db.errors import Busy, CommitLost, DatabaseError, Locked, Unreachable, Unwritable
from db.migrations import check_version, create_tables, stored_version
from db.retry_policy import RetryPolicy, retried

T = TypeVar("T")
Converter = Callable[["Database"], None]
"""Replaces the tables of a former version by the current ones, with their rows."""
OPENING_S = 5.0
"""How long to wait, when a command begins, for a server that does not answer, in seconds.

Short, because the address may be wrong. A wait for the write lock is no shorter than later.
"""
PAGE_WAIT_S = 2.0
"""The same for a web page, for which a person waits."""


class Database:
    """The connections of one `Store`: one reads what is committed, one writes.

    Attributes:
        backend: the kind of database, and its place.
        retry_policy: how long to wait for a server that does not answer.
        held_locks: locks that the writer's session holds.
        is_read_only: whether this process cannot write the database.

    """

    def __init__(self, backend: Backend, engine: Engine, *, only_reads: bool = False) -> None:
        self.backend = backend
        self.place = backend.place
        self.engine = engine
        self.retry_policy = RetryPolicy()
        self.held_locks: set[HeldLock] = set()
        self.is_read_only = only_reads
        self._only_reads = only_reads
        self._identity = backend.identity()
        self._stamp: object = None
        """The backend's stamp, of a file that no process may write meanwhile."""
        self._reader: Connection | None = None
        self._writer: Connection | None = None
        self._session: int | None = None
        """The backend's name for the writer's session, kept after the connection is lost."""

    @classmethod
    def open(
        cls,
        where: str,
        *,
        create: bool = True,
        busy_s: float = 10.0,
        retry_policy: RetryPolicy | None = None,
        convert: "Converter | None" = None,
    ) -> Self:
        """Open or create a database; convert a file of a former version.

        Args:
            where: a file path or a URL.
            create: whether to create a missing database.
            busy_s: seconds that a write waits for another one.
            retry_policy: how long to wait for a server, while opening at most OPENING_S.
            convert: converts a file of a former version; None to refuse it.

        Raises:
            DatabaseError: it cannot be opened.

        """
        backend = backend_of(locate(where), busy_s)
        with backend.translating():
            backend.check_place(create=create)
            database = cls(backend, backend.make_engine())
            if retry_policy is not None:
                database.retry_policy = retry_policy
            with database.closed_on_error():
                database.retry_policy.retry(
                    lambda: database._prepare(create=create, convert=convert), OPENING_S
                )
        return database

    @classmethod
    def open_to_read(cls, where: str, *, busy_s: float = 10.0, **options: Any) -> Self:
        """Open an existing database, even if it cannot be written: as `open` does, or to read it.

        Args:
            where: a file path or a URL.
            busy_s: seconds that a write waits for another one.
            options: more arguments of `open`.

        Raises:
            DatabaseError: it cannot be read.

        """
        try:
            return cls.open(where, create=False, busy_s=busy_s, **options)
        except Unwritable:  # no permission, or a full disk
            backend = backend_of(locate(where), busy_s)
            engine = backend.make_reading_engine()
            if engine is None:
                raise
        database = cls(backend, engine, only_reads=True)
        database._stamp = backend.stamp()
        return database._checked()

    @classmethod
    def follow(cls, where: str, *, busy_s: float) -> Self:
        """Open an existing database to read it while others write it; convert nothing.

        Each read is a short transaction, so that it does not delay SQLite's checkpoints.

        Raises:
            DatabaseError: it cannot be read.

        """
        backend = backend_of(locate(where), busy_s)
        with backend.translating():
            database = cls(backend, backend.make_following_engine(), only_reads=True)
        database.retry_policy.seconds = PAGE_WAIT_S
        return database._checked()

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Close all connections if the block fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _checked(self) -> Self:
        """Refuse a database of another program or version."""
        with self.closed_on_error(), self.reading() as connection:
            self.backend.check_database(connection)
            check_version(stored_version(connection, self.backend), self.backend)
        return self

    def _prepare(self, *, create: bool, convert: "Converter | None") -> None:
        with self.reading() as connection:
            self.backend.check_database(connection)
            version = stored_version(connection, self.backend)
            if version == migrations.HEAD:
                self.is_read_only = not self.backend.is_writable(connection)
        if version is None and create:
            self._create()
        elif version in migrations.FORMER and self.place.path is not None and convert:
            convert(self)
        else:
            check_version(version, self.backend)
        if not self.is_read_only:
            for connection in (self.reader, self.writer):
                self.backend.configure(connection)

    def _create(self) -> None:
        with self.writing() as connection:
            if stored_version(connection, self.backend) is None:  # no other process was faster
                create_tables(connection, self.backend)

    def close(self) -> None:
        """Close all connections."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None
        self.engine.dispose()

    @property
    def is_replaced(self) -> bool:
        """Whether the database was deleted or replaced by another file."""
        return self.backend.identity() != self._identity

    def change_mark(self) -> object:
        """Return a value that changes whenever another connection commits."""
        with self.reading() as connection:
            return self.backend.change_mark(connection)

    @property
    def reader(self) -> Connection:
        """The connection that reads."""
        if self._reader is None:
            self._reader = self._connect_to_read()
        return self._reader

    @property
    def writer(self) -> Connection:
        """The connection that writes."""
        if self._writer is None:
            connection = self.engine.connect().execution_options(**self.backend.writing_options)
            try:
                self._session = self.backend.attach_writer(
                    connection, self._session, self.held_locks
                )
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    def _connect_to_read(self) -> Connection:
        return self.engine.connect().execution_options(**self.backend.reading_options)

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Translate driver errors; drop lost connections, and name the session that blocks."""
        try:
            with self.backend.translating():
                yield
        except Unreachable:
            self._drop_connections()
            raise
        except Busy as error:
            raise self._name_blocker(error) from error

    def _name_blocker(self, error: Busy) -> Busy:
        """Return the error with the name of the session that blocks."""
        blocker = None
        with suppress(DatabaseError):
            blocker = self.backend.name_blocker(self)
        if blocker is None:
            return error
        return Busy(f"{self.place} {BUSY.format(who=blocker)}")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that reads one snapshot. Raises Locked if the file changed."""
        with self._unchanged(), self.translating_errors(), self.reader.begin():
            yield self.reader

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Refuse what was read from an immutable file that was written meanwhile."""
        try:
            yield
        finally:  # after an error, too: the change may have caused it
            if self._stamp is not None and self.backend.stamp() != self._stamp:
                raise Locked(f"{self.place} was written while it was read: try again")

    @contextmanager
    def writing(self, *, repeatable: bool = True) -> Iterator[Connection]:
        """Open a transaction that holds the write lock; roll it back on any error.

        Args:
            repeatable: whether a repetition of the whole transaction changes nothing more. If not,
                a connection that is lost in the commit ends the command.

        Raises:
            DatabaseError: this process cannot write the database.

        """
        if self._only_reads:
            raise Unwritable(f"{self.place} can only be read; choose another database to write")
        is_complete = False
        try:
            with self.translating_errors(), self.writer.begin():
                self.backend.begin_writing(self.writer)
                yield self.writer
                is_complete = True
        except Unreachable as error:
            if is_complete and not repeatable:
                raise CommitLost(
                    f"{self.place} ended the connection while a change was stored, which may be "
                    "done or not: look before you repeat the command"
                ) from error
            raise

    @contextmanager
    def streaming(self) -> Iterator[Connection]:
        """Open a reading transaction on a connection of its own, for long reads."""
        cursors: list[Any] = []

        def note(_connection: Connection, cursor: Any, *_: object) -> None:
            cursors.append(cursor)

        with (
            self.backend.translating(),
            self._unchanged(),
            self._connect_to_read() as connection,
            connection.begin(),
        ):
            event.listen(connection, "after_cursor_execute", note)
            try:
                yield connection.execution_options(yield_per=500)
            finally:
                for cursor in cursors:  # a generator that was abandoned leaves its cursor open
                    cursor.close()

    def retry(self, attempt: Callable[[], T]) -> T:
        """Return the result of an attempt, repeated while the server does not answer."""
        return self.retry_policy.retry(attempt)

    def process_locks(self, kind: LockKind) -> ProcessLocks:
        """Open the locks that show which runs or jobs are in play.

        Raises:
            DatabaseError: they cannot be opened.

        """
        return self.backend.process_locks(self, kind)

    def _drop_connections(self) -> None:
        """Drop connections that may be lost."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                with suppress(SQLAlchemyError, *self.backend.driver_errors):
                    connection.invalidate()
                    connection.close()
        self._reader = self._writer = None


class Queries:
    """Queries of one subject. Public methods retry transient errors; see `retried`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        retried(cls)
