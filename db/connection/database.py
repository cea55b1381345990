"""An open database: one connection that reads, one that writes, and transactions on them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import SQLAlchemyError

from db import migrations
from db.backends import Backend, backend_of
from db.backends.locks import HeldLock, LockKind, ProcessLocks
from db.backends.place import locate
from db.backends.sqlstate import BUSY
from db.connection.driver_errors import translate_driver_errors
from db.connection.retry_policy import RetryPolicy
from db.errors import Busy, CommitLost, DatabaseError, Missing, Outdated, Unreachable
from db.migrations.upgrade import Converter, check_known, stored_version, upgrade

T = TypeVar("T")
OPENING_S = 5.0
"""How long to wait, when a command begins, for a server that does not answer, in seconds.

Short, because the address may be wrong. A wait for the write lock is no shorter than later.
"""


class Database:
    """The connections of one `Store`: one reads what is committed, one writes.

    Attributes:
        backend: the kind of database, and its place.
        retry_policy: how long to wait for a server that does not answer.
        held_locks: locks that the writer's session holds.

    """

    def __init__(self, backend: Backend, engine: Engine) -> None:
        self.backend = backend
        self.place = backend.place
        self.engine = engine
        self.retry_policy = RetryPolicy()
        self.held_locks: set[HeldLock] = set()
        self._reader: Connection | None = None
        self._writer: Connection | None = None
        self._session: int | None = None
        """The backend's name for the writer's session, kept after the connection is lost."""
        self._is_writable = True
        self._convert: Converter | None = None

    @classmethod
    def open(
        cls,
        where: str,
        *,
        create: bool = True,
        busy_s: float = 10.0,
        retry_policy: RetryPolicy | None = None,
        convert: Converter | None = None,
        defers_migration: bool = False,
    ) -> Self:
        """Open or create a database; migrate a file of an older version.

        Args:
            where: a file path or a URL.
            create: whether to create a missing database.
            busy_s: seconds that a write waits for another one.
            retry_policy: how long to wait for a server, while opening at most OPENING_S.
            convert: converts a former version; None to refuse it.
            defers_migration: whether to open an older database as it is, for `migrate`.

        Raises:
            DatabaseError: it cannot be opened.

        """
        backend = backend_of(locate(where), busy_s)
        with translate_driver_errors(backend):
            backend.check_place(create=create)
            database = cls(backend, backend.make_engine())
            database._convert = convert
            if retry_policy is not None:
                database.retry_policy = retry_policy
            try:
                with database.retry_policy.limited(OPENING_S):
                    database.retry(
                        lambda: database._prepare(create=create, defers=defers_migration)
                    )
            except BaseException:
                database.close()
                raise
        return database

    def _prepare(self, *, create: bool, defers: bool) -> None:
        with self.reading() as connection:
            self.backend.check_database(connection)
            version = stored_version(connection, self.backend)
            if version == migrations.HEAD:
                self._is_writable = self.backend.is_writable(connection)
        if version is None and create:
            self._upgrade()
        elif version is None or not (
            defers or (self._convert and self.backend.migrates_when_opened)
        ):
            self.check_version(version)
        elif version != migrations.HEAD and not defers:
            self._upgrade()
        if self._is_writable:
            for connection in (self.reader, self.writer):
                self.backend.configure(connection)

    def _upgrade(self, *, force: bool = True) -> str | None:
        with self.backend.migrating(self.writer), self.writing() as connection:
            version = stored_version(connection, self.backend)
            if version not in (None, migrations.HEAD):
                self.backend.prepare_migration(connection, force=force)
            upgrade(connection, self.backend, self._convert or self._refuse)
            return version

    def _refuse(self, _connection: Connection, _backend: Backend, version: str) -> None:
        self.check_version(version)

    def migrate(self, *, force: bool) -> str | None:
        """Migrate to the current version; return the former version.

        Raises:
            InUse: runs are in play, and `force` is false.
            Unwritable: this user may not change the tables.

        """
        return self.retry(lambda: self._upgrade(force=force))

    def check_version(self, version: str | None) -> None:
        """Refuse a database that is not of the current version.

        Raises:
            Missing: it has no tables yet.
            TooNew: this program does not know its version.
            Outdated: it must be migrated first.

        """
        if version is None:
            raise Missing(f"{self.place} holds no games yet: play some first")
        if version != migrations.HEAD:
            check_known(version, self.backend)
            raise Outdated(
                f"{self.place} was written by an older version of this program (database version "
                f"{version}, here {migrations.HEAD}): {self.backend.migration_advice}"
            )

    def close(self) -> None:
        """Close all connections."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None
        self.engine.dispose()

    @property
    def is_read_only(self) -> bool:
        """Whether this process cannot write the database."""
        return not self._is_writable

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
            with translate_driver_errors(self.backend):
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
        """Open a transaction that reads one snapshot."""
        with self.translating_errors(), self.reader.begin():
            yield self.reader

    @contextmanager
    def writing(self, *, repeatable: bool = True) -> Iterator[Connection]:
        """Open a transaction that holds the write lock; roll it back on any error.

        Args:
            repeatable: whether a repetition of the whole transaction changes nothing more. If not,
                a connection that is lost in the commit ends the command.

        Raises:
            DatabaseError: this process cannot write the database.

        """
        self._check_may_write()
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

    def _check_may_write(self) -> None:
        """Do nothing; subclasses that only read refuse all writes."""

    @contextmanager
    def streaming(self) -> Iterator[Connection]:
        """Open a reading transaction on a connection of its own, for long reads."""
        cursors: list[Any] = []

        def note(_connection: Connection, cursor: Any, *_: object) -> None:
            cursors.append(cursor)

        with (
            translate_driver_errors(self.backend),
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
        return self.retry_policy.retry_unless_nested(attempt)

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
