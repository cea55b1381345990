"""An open database: one connection that reads, one that writes, and transactions on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from sqlalchemy import Connection, Engine

from db import migrations
from db.connection.driver_errors import border
from db.connection.place import (
    WRITES,
    Place,
    check_mark,
    check_path,
    is_writable,
    locate,
    make_engine,
    use_wal,
)
from db.errors import Unwritable
from db.migrations.upgrade import stored_version, upgrade


class Database:
    """The connections of one `Store`. Its reader sees what was committed, by whomever."""

    def __init__(self, place: Place, engine: Engine) -> None:
        self.place = place
        self.engine = engine
        self._reader: Connection | None = None
        self._writer: Connection | None = None

    @classmethod
    def open(cls, where: str, *, create: bool, busy_s: float) -> Self:
        """Open, make or migrate a database.

        Raises:
            DatabaseError: one of its subclasses says why not.

        """
        place = locate(where)
        with border(str(place)):
            has_content = place.path is not None and check_path(place.path, create=create)
            if has_content and not is_writable(str(place.path)):
                # Asked first: SQLite would leave files of this user beside another's database.
                raise Unwritable(
                    f"{place} cannot be written by this user; check the permissions of the file "
                    "and its folder, or choose another --db"
                )
            database = cls(place, make_engine(place, busy_s=busy_s))
            try:
                database._bring_up_to_date(busy_s, has_content=has_content)
            except BaseException:
                database.close()
                raise
        return database

    def _bring_up_to_date(self, busy_s: float, *, has_content: bool) -> None:
        with self.reading() as connection:
            if has_content:
                check_mark(connection, str(self.place))
            current = stored_version(connection) == migrations.HEAD
        if not current:
            with self.writing() as connection:
                upgrade(connection, self.place)
        if self.place.path is not None:
            for connection in (self.reader, self.writer):
                use_wal(connection, busy_s=busy_s)

    def close(self) -> None:
        """Let go of all connections."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None
        self.engine.dispose()

    @property
    def reader(self) -> Connection:
        """The connection for reading."""
        if self._reader is None:
            self._reader = self.engine.connect()
        return self._reader

    @property
    def writer(self) -> Connection:
        """The connection whose transactions hold the write lock."""
        if self._writer is None:
            self._writer = self.engine.connect().execution_options(**{WRITES: True})
        return self._writer

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database."""
        with border(str(self.place)), self.reader.begin():
            yield self.reader

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that holds the write lock; committed at the end, undone on any error."""
        with border(str(self.place)), self.writer.begin():
            yield self.writer

    @contextmanager
    def streaming(self) -> Iterator[Connection]:
        """A transaction on a connection of its own, for a reader that takes its time."""
        with border(str(self.place)), self.engine.connect() as connection, connection.begin():
            yield connection.execution_options(yield_per=500)
