"""An open database: one connection that reads, one that writes, and transactions on them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, Executable, event
from sqlalchemy.exc import SQLAlchemyError

from db import migrations
from db.backends import backend_of
from db.backends.backend import BUSY, OpenMode, locate
from db.backends.locks import (
    WRITER,
    FileLocks,
    HeldLock,
    LockKind,
    ProcessLocks,
    SessionLocks,
    find_live,
)
from db.bots_only import refusing_other_writes
from db.errors import (
    Busy,
    CommitLost,
    DatabaseError,
    InUse,
    Replaced,
    Unreachable,
    Unwritable,
)
from db.migrations import MIGRATED, check_version, create_tables, migrate, stored_version
from db.retry_policy import RetryPolicy, retried

OPENING_S = 5.0
"""How long to wait, when a command begins, for a server that does not answer, in seconds.

Short, because the address may be wrong. A wait for the write lock is no shorter than later.
"""
PAGE_WAIT_S = 2.0
"""The same for a web page, for which a person waits."""


class Migration(NamedTuple):
    """A migration that was done."""

    version: str
    """The former version."""
    copy: str | None
    """The path of the file as it was; None on a server."""


class Database:
    """The connections of a database: one reads what is committed, one writes.

    Attributes:
        place: the database's file or URL.
        backend: the kind of database.
        engine: makes the connections.
        retry_policy: how long to wait for a server that does not answer.
        held_locks: locks that the writer's session holds.
        is_read_only: whether this process cannot write the database.
        migration: what opening the database migrated; None if it was current.

    """

    def __init__(
        self, where: str, mode: OpenMode, busy_s: float, retry_policy: RetryPolicy
    ) -> None:
        """Connect to nothing yet. Raises DatabaseError."""
        self.place = locate(where)
        self.backend = backend_of(self.place, busy_s)
        self.engine = self.backend.make_engine(mode)
        self.retry_policy = retry_policy
        self.held_locks: set[HeldLock] = set()
        self.is_read_only = not mode.writes
        self.migration: Migration | None = None
        self._mode = mode
        self._is_prepared = False
        """Whether its tables are those of this version, which no mode of writing prevents."""
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
        upgrade: bool = False,
        busy_s: float = 10.0,
        retry_policy: RetryPolicy | None = None,
    ) -> Self:
        """Open or create a database; migrate a file of an older version.

        Args:
            where: a file path or a URL.
            create: whether to create a missing database.
            upgrade: whether to migrate a database on a server, too, which must exist.
            busy_s: seconds that a write waits for another one.
            retry_policy: how long to wait for a server, while opening at most OPENING_S.

        Raises:
            DatabaseError: it cannot be opened; nothing was written.

        """
        mode = OpenMode.CREATE if create else OpenMode.WRITE
        mode = OpenMode.UPGRADE if upgrade else mode
        return cls._open(where, mode, busy_s, retry_policy)

    @classmethod
    def open_to_read(
        cls, where: str, *, busy_s: float = 10.0, retry_policy: RetryPolicy | None = None
    ) -> Self:
        """Open an existing database for reading, even if it cannot be written.

        A writable file of an older version is migrated.

        Raises:
            DatabaseError: it cannot be read.

        """
        try:
            return cls._open(where, OpenMode.WRITE, busy_s, retry_policy)
        except Unwritable:  # no permission, or a full disk
            return cls._open(where, OpenMode.READ, busy_s, retry_policy)

    @classmethod
    def follow(cls, where: str, *, busy_s: float = 2.0) -> Self:
        """Open an existing database to read it while others write it; migrate nothing.

        Each read is a short transaction, so that it does not delay SQLite's checkpoints.

        Raises:
            DatabaseError: it cannot be read.

        """
        return cls._open(where, OpenMode.FOLLOW, busy_s, RetryPolicy(PAGE_WAIT_S))

    @classmethod
    def _open(cls, where: str, mode: OpenMode, busy_s: float, policy: RetryPolicy | None) -> Self:
        database = cls(where, mode, busy_s, policy or RetryPolicy())
        try:
            database.retry_policy.retry(database._prepare, OPENING_S)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self) -> None:
        """Check the database, and create or migrate its tables."""
        with self.reading() as connection:
            self.backend.check_database(connection)
            version = stored_version(connection, self.place)
            if version == migrations.HEAD and not self.is_read_only:
                self.is_read_only = not self.backend.is_writable(connection)
        if version is None and self._mode is OpenMode.CREATE:
            with self.writing() as connection:
                if stored_version(connection, self.place) is None:  # no other process was faster
                    create_tables(connection)
        elif version in MIGRATED and self._mode.migrates(self.place):
            self._migrate()
        else:
            check_version(version, self.backend)
        if not self.is_read_only:
            with self.translating_errors():
                for connection in (self.reader, self.writer):
                    self.backend.configure(connection)
        self._is_prepared = True

    def _migrate(self) -> None:
        """Migrate an older database in one transaction, which a failure undoes as a whole.

        Raises:
            InUse: a run, a job or a server of an older program has it open.

        """
        for kind in LockKind:
            locks = self.process_locks(kind)
            try:
                holder = locks.any_holder()
            finally:
                locks.close()
            if holder is not None:
                raise InUse(
                    f"{self.place} was written by an older version of this program, and {holder} "
                    "uses it: it is migrated when that has ended"
                )
        with self.writing() as connection:
            version = stored_version(connection, self.place)
            if version in MIGRATED:  # no other process was faster
                copy = self.backend.copy_beside(version)
                migrate(connection)
                self.migration = Migration(version, copy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections, also lost ones."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                with suppress(SQLAlchemyError, *self.backend.driver_errors):
                    connection.invalidate()  # rolls nothing back, which a lost one cannot
                    connection.close()
        self._reader = self._writer = None

    @property
    def path(self) -> str | None:
        """The absolute path of the SQLite file; None for a server."""
        return self.place.path

    @property
    def where(self) -> str:
        """The path or URL for messages, without a password."""
        return str(self.place)

    @property
    def is_replaced(self) -> bool:
        """Whether the database was deleted, or replaced by another file."""
        return self.backend.is_replaced

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
        """The connection that writes. A new one that replaces a lost one holds the same locks."""
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
            self.close()
            raise
        except Busy as error:
            blocker = None
            if self.path is None:
                with suppress(DatabaseError), self.reading() as connection:
                    blocker = find_live(connection, WRITER).get(0)
            if blocker is None:
                raise
            raise Busy(f"{self.place} {BUSY.format(who=blocker)}") from error

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
            self.backend.check_unchanged()

    @contextmanager
    def writing(self, *, repeatable: bool = True) -> Iterator[Connection]:
        """Open a transaction that holds the write lock; roll it back on any error.

        Args:
            repeatable: whether a repetition of the whole transaction changes nothing more. If not,
                a connection that is lost in the commit ends the command.

        Raises:
            DatabaseError: this process cannot write the database.

        """
        if not self._mode.writes:
            raise Unwritable(f"{self.place} can only be read; choose another database to write")
        is_complete = False
        try:
            with self.translating_errors(), self.writer.begin():
                self.backend.begin_writing(self.writer)
                with refusing_other_writes(self.writer) if self._is_prepared else nullcontext():
                    yield self.writer
                self._check_place()
                is_complete = True
        except Unreachable as error:
            if is_complete and not repeatable:
                raise CommitLost(
                    f"{self.place} ended the connection while a change was stored, which may be "
                    "done or not: look before you repeat the command"
                ) from error
            raise

    def _check_place(self) -> None:
        """Refuse to commit to a file that is no longer at its path. Raises Replaced."""
        if self.is_replaced:
            raise Replaced(
                f"{self.place} was deleted or replaced while this command used it: stop what "
                "removes it, restore the file if you have a copy, and run the command again"
            )

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

    def process_locks(self, kind: LockKind) -> ProcessLocks:
        """Open the locks that show which runs or jobs are in play.

        Raises:
            Unwritable: the lock file beside a SQLite file cannot be created.

        """
        if self.path is not None:
            return FileLocks(self.path, kind)
        return SessionLocks(self._in_session, self._in_snapshot, self.held_locks, kind)

    def _in_session(self, action: Callable[[Connection], Any]) -> Any:
        """Return the result of an action in a transaction of the session that holds locks."""

        def attempt() -> Any:
            with self.translating_errors(), self.writer.begin():
                return action(self.writer)

        return self.retry_policy.retry(attempt)

    def _in_snapshot(self, action: Callable[[Connection], Any]) -> Any:
        """Return the result of an action in a transaction that reads."""

        def attempt() -> Any:
            with self.reading() as connection:
                return action(connection)

        return self.retry_policy.retry(attempt)


class Queries:
    """Queries of one subject. Public methods retry transient errors; see `retried`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        retried(cls)

    def _rows(self, query: Executable) -> Sequence[Any]:
        """Return the rows of a query, read in a transaction of its own."""
        with self._database.reading() as connection:
            return connection.execute(query).all()
