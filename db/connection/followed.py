"""Following a database that others write: nothing is migrated, nothing is written.

Each read is a short transaction, so that no reader keeps the log of writes from being taken over
into the file. The connection may write as far as SQLite is concerned, which lets the last one that
is closed tidy the log away; statements that would write are refused.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from sqlalchemy import Connection, Engine, event

from db import migrations
from db.connection.database import Database
from db.connection.place import (
    Place,
    check_mark,
    check_path,
    is_writable,
    locate,
    make_engine,
    make_reading_engine,
)
from db.errors import NotOurs, Outdated, TooNew, Unwritable
from db.migrations.upgrade import stored_version


class FollowedDatabase(Database):
    """A database that is read again and again while others write it."""

    def __init__(self, place: Place, engine: Engine) -> None:
        super().__init__(place, engine)
        self._file = _identity(place)

    @classmethod
    def follow(cls, where: str, *, busy_s: float) -> Self:
        """Open a database to follow it.

        Raises:
            Outdated: an older version of this program wrote it, and nobody has brought it up to
                date.
            DatabaseError: another of its subclasses says why it cannot be read.

        """
        place = locate(where)
        if place.path is not None:
            check_path(place.path, create=False)
        database = cls(place, _engine(place, busy_s))
        try:
            with database.reading() as connection:
                if place.path is not None:
                    check_mark(connection, place.path)
                _check_version(stored_version(connection), place)
        except BaseException:
            database.close()
            raise
        return database

    @property
    def is_replaced(self) -> bool:
        """Whether another file lies at the place now, or none."""
        return _identity(self.place) != self._file

    def change_mark(self) -> int:
        """A number that differs from the last one after another connection has committed."""
        with self.reading() as connection:
            if self.place.path is None:
                found = connection.exec_driver_sql(
                    "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
                )
            else:
                found = connection.exec_driver_sql("PRAGMA data_version")
            return int(found.scalar_one())

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Always refused: raises Unwritable."""
        raise Unwritable(f"{self.place} is only read here")
        yield


def _engine(place: Place, busy_s: float) -> Engine:
    if place.path is None:
        return make_engine(place, busy_s=busy_s)
    if not is_writable(place.path):
        return make_reading_engine(place, "mode=ro", busy_s=busy_s)
    engine = make_reading_engine(place, "mode=rw", busy_s=busy_s)
    event.listen(engine, "connect", _refuse_writes)
    return engine


def _refuse_writes(driver: Any, _record: object) -> None:
    driver.execute("PRAGMA query_only=ON")


def _check_version(version: str | None, place: Place) -> None:
    if version == migrations.HEAD:
        return
    if version is None:
        raise NotOurs(f"{place} holds no tables of this program yet; play some games first")
    if any((migrations.SCRIPTS / "versions").glob(f"{version}_*.py")):
        raise Outdated(
            f"{place} was written by an older version of this program: `ladder runs` brings it up "
            "to date, and keeps a copy"
        )
    raise TooNew(
        f"{place} was written by a newer version of this program (database version {version}, "
        f"here {migrations.HEAD}); update the program"
    )


def _identity(place: Place) -> tuple[int, int] | None:
    """Device and number of the file; None on a server, and where there is no file."""
    if place.path is None:
        return None
    try:
        status = os.stat(place.path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
