"""Following a database that others write: nothing is migrated, nothing is written.

Each read is a short transaction, so that no reader keeps SQLite's log of writes from being taken
over into the file. The connection may write as far as SQLite is concerned, which lets the last one
that is closed tidy the log away; statements that would write are refused.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from sqlalchemy import Connection, Engine

from db import migrations
from db.backends import Backend, backend_of
from db.backends.place import locate
from db.connection.database import Database
from db.connection.driver_errors import border
from db.errors import NotALadderDatabase, Unwritable
from db.migrations.upgrade import stored_version

PATIENCE_S = 2.0
"""Seconds for which a server may be away: somebody waits for the page."""


class FollowedDatabase(Database):
    """A database that is read again and again while others write it."""

    def __init__(self, backend: Backend, engine: Engine) -> None:
        super().__init__(backend, engine)
        self.retry_policy.seconds = PATIENCE_S
        self._identity = backend.identity()
        self._is_writable = False

    @classmethod
    def follow(cls, where: str, *, busy_s: float) -> Self:
        """Open a database to follow it.

        Raises:
            Outdated: an older version of this program wrote it, and nobody has brought it up to
                date.
            DatabaseError: another of its subclasses says why it cannot be read.

        """
        backend = backend_of(locate(where), busy_s)
        with border(backend):
            database = cls(backend, backend.make_following_engine())
            try:
                with database.reading() as connection:
                    backend.check_ours(connection)
                    version = stored_version(connection, backend)
                if version is None:
                    raise NotALadderDatabase(
                        f"{backend.place} holds no tables of this program yet; "
                        "play some games first"
                    )
                if version != migrations.HEAD:
                    database._read_older(version)
            except BaseException:
                database.close()
                raise
        return database

    @property
    def is_replaced(self) -> bool:
        """Whether another file or none lies at the place now, or tables that were added."""
        return self.backend.identity() != self._identity or self._is_migrated()

    def _is_migrated(self) -> bool:
        """Return whether a database that was older when it was opened is up to date now."""
        if self._older is None:
            return False
        with self.reading() as connection:
            return stored_version(connection, self.backend) == migrations.HEAD

    def change_mark(self) -> object:
        """A value that differs from the last one after another connection has committed."""
        with self.reading() as connection:
            return self.backend.change_mark(connection)

    @contextmanager
    def writing(self, *, pipelined: bool = False, has_tables: bool = True) -> Iterator[Connection]:
        """Always refused: raises Unwritable."""
        raise Unwritable(f"{self.place} is only read here")
        yield
