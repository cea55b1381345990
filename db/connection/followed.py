"""Following a database that others write, without migrating or writing it.

Each read is a short transaction, so that it does not delay SQLite's checkpoints. The connection is
opened for writing, so that the last one to close can remove the WAL; statements that write are
refused.
"""

from typing import Self

from sqlalchemy import Engine

from db.backends import Backend, backend_of
from db.backends.place import locate
from db.connection.database import Database
from db.connection.driver_errors import translate_driver_errors
from db.errors import Unwritable
from db.migrations.upgrade import stored_version

PAGE_WAIT_S = 2.0
"""How long to wait for a server that does not answer, in seconds: a person waits for the page."""


class FollowedDatabase(Database):
    """A database that is read repeatedly while others write it."""

    def __init__(self, backend: Backend, engine: Engine) -> None:
        super().__init__(backend, engine)
        self.retry_policy.seconds = PAGE_WAIT_S
        self._identity = backend.identity()
        self._is_writable = False

    @classmethod
    def follow(cls, where: str, *, busy_s: float) -> Self:
        """Open a database to follow it.

        Raises:
            Outdated: it must be migrated first.
            DatabaseError: it cannot be read.

        """
        backend = backend_of(locate(where), busy_s)
        with translate_driver_errors(backend):
            database = cls(backend, backend.make_following_engine())
            try:
                with database.reading() as connection:
                    backend.check_database(connection)
                    version = stored_version(connection, backend)
                database.check_version(version)
            except BaseException:
                database.close()
                raise
        return database

    @property
    def is_replaced(self) -> bool:
        """Whether the database was deleted or replaced by another file."""
        return self.backend.identity() != self._identity

    def change_mark(self) -> object:
        """Return a value that changes whenever another connection commits."""
        with self.reading() as connection:
            return self.backend.change_mark(connection)

    def _check_may_write(self) -> None:
        """Raise Unwritable."""
        raise Unwritable(f"{self.place} is only read by this command")
