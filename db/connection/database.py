"""An open database: one connection that reads, one that writes, and transactions on them."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum, auto
from itertools import count
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import RootTransaction
from sqlalchemy.exc import SQLAlchemyError

from db import migrations
from db.backends import Backend, backend_of
from db.backends.backend import Token
from db.backends.place import locate
from db.backends.run_lock import RunLock
from db.backends.sqlstate import BUSY
from db.connection.driver_errors import border
from db.connection.retry_policy import RetryPolicy
from db.errors import Busy, DatabaseError, Missing, Outdated, Unreachable, Unwritable
from db.migrations.upgrade import check_known, stored_version, upgrade

T = TypeVar("T")
OPENING_S = 5.0
"""Seconds for which a server may be away when a command begins: its address may be wrong."""


class OldSchema(Enum):
    """What to do with a server's database of an older version; files are migrated when opened."""

    REFUSE = auto()
    READ = auto()
    """Read it as it is, as far as that is possible."""
    MIGRATE = auto()
    """Open it for a migration."""


class Database:
    """The connections of one `Store`. Its reader sees what was committed, by whomever.

    Attributes:
        backend: the kind of database, and its place.
        retry_policy: how long a server that is away is waited for.
        held: the runs whose locks the writer's session holds.

    """

    def __init__(self, backend: Backend, engine: Engine) -> None:
        self.backend = backend
        self.place = backend.place
        self.engine = engine
        self.retry_policy = RetryPolicy()
        self.held: set[int] = set()
        self._reader: Connection | None = None
        self._writer: Connection | None = None
        self._number = secrets.randbits(63)
        self._transactions = count(1)
        self._session: int | None = None
        """The backend's name for the writer's session, also after it was lost."""
        self._is_writable = True
        self._older: str | None = None
        """The version of older tables that are read as they are."""

    @classmethod
    def open(
        cls,
        where: str,
        *,
        create: bool,
        busy_s: float,
        retry_policy: RetryPolicy | None = None,
        old_schema: OldSchema = OldSchema.REFUSE,
    ) -> Self:
        """Open or make a database; migrate a file.

        Args:
            where: a file path or a URL.
            create: whether it may be made.
            busy_s: how long a write waits for another one.
            retry_policy: of the database; while it is opened, OPENING_S at most.
            older: what to do with an older one on a server.

        Raises:
            DatabaseError: one of its subclasses says why not.

        """
        backend = backend_of(locate(where), busy_s)
        with border(backend):
            backend.check_place(create=create)
            database = cls(backend, backend.make_engine())
            if retry_policy is not None:
                database.retry_policy = retry_policy
            try:
                with database.retry_policy.limited(OPENING_S):
                    database.persist(
                        lambda: database._prepare(create=create, old_schema=old_schema)
                    )
            except BaseException:
                database.close()
                raise
        return database

    def _prepare(self, *, create: bool, old_schema: OldSchema) -> None:
        with self.reading() as connection:
            self.backend.check_ours(connection)
            version = stored_version(connection, self.backend)
            if version == migrations.HEAD:
                self._is_writable = self.backend.is_writable(connection)
        if version is None and not create:
            raise Missing(f"there are no games in {self.place}: play some first")
        migrates = self.backend.migrates_when_opened and old_schema is not OldSchema.MIGRATE
        if version is None or (version != migrations.HEAD and migrates):
            self._upgrade()
        elif version != migrations.HEAD and old_schema is OldSchema.REFUSE:
            raise self._outdated(version)
        elif version != migrations.HEAD and old_schema is OldSchema.READ:
            self._read_older(version)
        if self._is_writable:
            for connection in (self.reader, self.writer):
                self.backend.settle(connection)

    def _upgrade(self, *, force: bool = True) -> str | None:
        with self.backend.migrating(self.writer), self.writing(has_tables=False) as connection:
            version = stored_version(connection, self.backend)
            if version not in (None, migrations.HEAD):
                self.backend.check_migration(connection, force=force)
            upgrade(connection, self.backend)
            return version

    def migrate(self, *, force: bool) -> str | None:
        """Bring the tables up to date; return the version that they had.

        Raises:
            InUse: runs are in play, and `force` is false.
            Unwritable: the user may not change the tables.

        """
        return self.persist(lambda: self._upgrade(force=force))

    def _outdated(self, version: str) -> Outdated:
        """Return the error that names the remedy. Raises TooNew."""
        check_known(version, self.backend)
        return Outdated(
            f"{self.place} was written by an older version of this program (database version "
            f"{version}, here {migrations.HEAD}): {self.backend.migration_advice}"
        )

    def _read_older(self, version: str) -> None:
        """Read tables of an older version as they are. Raises TooNew, Outdated."""
        error = self._outdated(version)
        if self.backend.migrates_when_opened or version < migrations.READABLE:
            raise error
        self._older, self._is_writable = version, False
        self._forget()
        try:
            with self.trying():
                self.reader  # noqa: B018 - connects
        except Unwritable as reason:  # such as a standby, which allows no temporary tables
            raise error from reason

    def close(self) -> None:
        """Let go of all connections."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None
        self.engine.dispose()

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be written here, by this user or at all."""
        return not self._is_writable

    @property
    def reader(self) -> Connection:
        """The connection for reading."""
        if self._reader is None:
            self._reader = self._connect_to_read()
        return self._reader

    @property
    def writer(self) -> Connection:
        """The connection whose transactions hold the write lock."""
        if self._writer is None:
            connection = self.engine.connect().execution_options(**self.backend.writing_options)
            try:
                self._session = self.backend.take_up(connection, self._session, self.held)
            except BaseException:
                connection.close()
                raise
            self._writer = connection
        return self._writer

    def _connect_to_read(self) -> Connection:
        connection = self.engine.connect().execution_options(**self.backend.reading_options)
        if self._older is not None:
            try:
                self.backend.stand_in_for_missing_tables(connection, migrations.STAND_INS)
            except BaseException:
                connection.close()
                raise
        return connection

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Connect again after a connection is lost in the block; name whom it waits for."""
        try:
            with border(self.backend):
                yield
        except Unreachable:
            self._forget()
            raise
        except Busy as error:
            raise self._name_blocker(error) from error

    def _name_blocker(self, error: Busy) -> Busy:
        """Return the error with the session that is waited for."""
        blocker = None
        with suppress(DatabaseError), self.reading() as connection:
            blocker = self.backend.name_blocker(connection)
        if blocker is None:
            return error
        return Busy(f"{self.place} {BUSY.format(who=blocker)}")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database."""
        with self.trying(), self.reader.begin():
            yield self.reader

    @contextmanager
    def writing(self, *, pipelined: bool = False, has_tables: bool = True) -> Iterator[Connection]:
        """Hold the write lock in a transaction; commit at the end, undo it on any error.

        Args:
            has_tables: whether the tables are those of this version.
            pipelined: it is for statements that are given to the driver, past SQLAlchemy: a server
                is waited for only where an answer is read, and at the commit.

        """
        if self._older is not None:
            raise self._outdated(self._older)
        with self.trying():
            connection = self.writer
            transaction = connection.begin()
            with ExitStack() as pipeline:
                try:
                    pipeline.enter_context(self.backend.pipelined(connection))
                    token = self._next_token() if has_tables else None
                    self.backend.begin_writing(connection, token)
                    if not pipelined:
                        pipeline.close()
                    yield connection
                except BaseException:
                    with suppress(*self.backend.driver_errors):  # of a connection that is lost
                        pipeline.close()
                    self._undo(transaction)
                    raise
                self._commit(transaction, token, pipeline)

    @contextmanager
    def streaming(self) -> Iterator[Connection]:
        """A transaction on a connection of its own, for a reader that takes its time."""
        cursors: list[Any] = []

        def note(_connection: Connection, cursor: Any, *_: object) -> None:
            cursors.append(cursor)

        with border(self.backend), self._connect_to_read() as connection, connection.begin():
            event.listen(connection, "after_cursor_execute", note)
            try:
                yield connection.execution_options(yield_per=500)
            finally:
                for cursor in cursors:  # one that was left in the middle is still open
                    cursor.close()

    def persist(self, attempt: Callable[[], T]) -> T:
        """The result of an attempt that is repeated while the server is away."""
        return self.retry_policy.hold(attempt)

    def run_lock(self) -> RunLock:
        """The locks that tell which runs live. Raises DatabaseError."""
        return self.backend.run_lock(self)

    def _next_token(self) -> Token:
        return Token(self._number, next(self._transactions))

    def _commit(
        self, transaction: RootTransaction, token: Token | None, pipeline: ExitStack
    ) -> None:
        """Commit. When the connection is lost meanwhile, another asks whether it was done."""
        try:
            with border(self.backend):
                self.backend.end_writing(transaction.connection)
                pipeline.close()
                transaction.commit()
        except Unreachable:
            with suppress(*self.backend.driver_errors):
                pipeline.close()
            if token is None:
                raise
            self._forget()
            if not self.retry_policy.persist(lambda: self._was_committed(token)):
                raise
        except BaseException:  # such as a disk that is full
            self._undo(transaction)
            raise

    def _undo(self, transaction: RootTransaction) -> None:
        """End a transaction without its changes: the next one needs its end."""
        with suppress(*self.backend.driver_errors):  # of a connection that is lost
            transaction.rollback()

    def _was_committed(self, token: Token) -> bool:
        with self.trying():
            connection = self.writer  # its session has ended the one that was lost
            with connection.begin():
                return self.backend.was_committed(connection, token)

    def _forget(self) -> None:
        """Drop connections that may be broken."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                with suppress(SQLAlchemyError, *self.backend.driver_errors):
                    connection.invalidate()
                    connection.close()
        self._reader = self._writer = None
