"""The interface to one kind of database: everything in which SQLite and PostgreSQL differ.

====================  ==================================  =======================================
                      SQLite                              PostgreSQL
====================  ==================================  =======================================
new database          the file is created                 made with `createdb`; tables are created
former database       copied and converted when opened    refused
single writer         BEGIN IMMEDIATE                     an advisory lock, taken first
reading               WAL snapshot                        REPEATABLE READ, read only
lost connection       cannot happen                       reconnects and repeats the transaction
locks of processes    locked bytes of a file beside it    advisory locks of the writing session
change mark           PRAGMA data_version                 the server's transaction snapshot
other database there  device and inode have changed       cannot happen
====================  ==================================  =======================================
"""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from db.backends.locks import HeldLock
from db.errors import DatabaseError

_PASSWORD = re.compile(r"(://[^:/@]*):.*@")


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server, the rights of its user, and the runs in play."""

    version: str
    """Version of the server."""
    user: str
    is_unsafe: bool
    """Whether a crash of the server can lose games, because of its settings."""
    may_write: bool
    runs: Mapping[int, str]
    """The process that plays a run, by the number of the run."""
    round_trip_s: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database is; `str` of it hides a password."""

    url: URL
    path: str | None
    """The absolute path of a SQLite file; None for a server."""

    @property
    def server_key(self) -> str:
        """The server's host and port and the database's name, such as ``localhost:5432/games``.

        ``127.0.0.1``, a socket's folder and other ways to this machine all give ``localhost``.
        """
        query = self.url.query
        host = str(self.url.host or query.get("host", ""))
        is_local = host in ("", "localhost", "127.0.0.1", "::1") or host.startswith("/")
        port = self.url.port or query.get("port", 5432)
        return f"{'localhost' if is_local else host.lower()}:{port}/{self.url.database or ''}"

    def __str__(self) -> str:
        if self.path is not None:
            return self.path
        query = {key: value for key, value in self.url.query.items() if key != "password"}
        return self.url.set(query=query).render_as_string(hide_password=True)


def locate(where: str) -> Place:
    """Parse a file path or, if it contains ``://``, a URL.

    Raises:
        DatabaseError: the URL is invalid, or names neither SQLite nor PostgreSQL.

    """
    if "://" not in where:
        path = os.path.abspath(os.path.expanduser(where))
        return Place(URL.create("sqlite", database=path), path)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        # Without its cause, which repeats the URL and its password.
        shown = _PASSWORD.sub(r"\1:***@", where)
        raise DatabaseError(
            f"{shown!r} is not a database URL: use a file path or postgresql+psycopg://USER@HOST/NAME"
        ) from None
    kind = url.get_backend_name()
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise DatabaseError(
                "a database in memory cannot be shared between processes: name a file"
            )
        return locate(str(url.database))
    if kind != "postgresql":
        raise DatabaseError(
            f"{kind!r} databases are not supported: use a file path or postgresql+psycopg://..."
        )
    if url.drivername == "postgresql":  # SQLAlchemy's default driver is another one
        url = url.set(drivername="postgresql+psycopg")
    return Place(url, None)


class OpenMode(Enum):
    """What a database is opened for."""

    CREATE = "create"
    """To write it, after its creation if it is missing."""
    WRITE = "write"
    """To write an existing one."""
    READ = "read"
    """To read one that cannot be written."""
    FOLLOW = "follow"
    """To read it while others write."""
    UPGRADE = "upgrade"
    """To write an existing one, after its migration if an older version wrote it."""

    @property
    def writes(self) -> bool:
        """Whether changes can be made."""
        return self in (OpenMode.CREATE, OpenMode.WRITE, OpenMode.UPGRADE)

    def migrates(self, place: Place) -> bool:
        """Whether an older database is migrated: a file by any command that writes."""
        return self is OpenMode.UPGRADE or (self.writes and place.path is not None)


class KnownFailure(NamedTuple):
    """Failures of a database that are the same error here."""

    codes: tuple[str, ...]
    """Codes of the driver, or their beginnings."""
    kind: type[DatabaseError]
    message: str
    """Follows the name of the database; may contain the driver's ``{reason}``."""


CONFLICT = (
    "refused a change ({reason}): another command has deleted or stored the same row "
    "meanwhile; check `ladder bots list` and `ladder runs`, then run the command again"
)
"""Message for a violated constraint, after the database's name."""
BUSY = "is kept busy by {who}; wait for it or stop it, then try again"
"""The same for a lock."""


class Backend(ABC):
    """How to handle one database. Holds no connection.

    Methods that one of the two databases does not need do nothing by default.
    """

    driver_errors: tuple[type[Exception], ...]
    """The driver's errors, raised directly or wrapped by SQLAlchemy."""
    code_attribute: str
    """The attribute of a driver's error that holds its code."""
    failures: tuple[KnownFailure, ...]
    """Known failures; the first whose codes fit counts."""
    migration_advice: str
    """What migrates a database of an older version."""
    reading_options: Mapping[str, Any] = {}
    """Execution options of connections whose transactions read one snapshot."""
    writing_options: Mapping[str, Any] = {}
    """Execution options of connections whose transactions write."""

    def __init__(self, place: Place, busy_s: float) -> None:
        """Set the database's place, and the seconds that a write waits for another one."""
        self.place = place
        self.busy_s = busy_s

    @abstractmethod
    def make_engine(self, mode: OpenMode) -> Engine:
        """Create an engine that configures its connections.

        Raises:
            DatabaseError: the driver is not installed, or a file cannot be opened in this mode.

        """

    @abstractmethod
    def check_database(self, connection: Connection) -> None:
        """Refuse another program's database, or an unsuitable server. Raises DatabaseError."""

    def is_writable(self, connection: Connection) -> bool:
        """Return whether this user may store games through an open connection."""
        return True

    def copy_beside(self, version: str) -> str | None:
        """Copy a file beside itself before its migration; return the copy's path."""
        return None

    def configure(self, connection: Connection) -> None:  # noqa: B027 - a server has none
        """Apply the database's persistent settings; outside of a transaction."""

    def attach_writer(
        self, writer: Connection, former: int | None, held_locks: set[HeldLock]
    ) -> int | None:
        """Make a new connection the writing one, in place of one that was lost.

        Args:
            writer: the new connection, in no transaction.
            former: the session of the lost connection, which is ended; None for the first.
            held_locks: locks that the new connection takes over.

        Returns:
            The session of the new connection; None for a file.

        Raises:
            InUse: another process has taken one of the locks meanwhile.

        """
        return None

    def begin_writing(self, connection: Connection) -> None:  # noqa: B027
        """Take the write lock, with which transactions of a file begin."""

    @abstractmethod
    def change_mark(self, connection: Connection) -> object:
        """Return a value that changes whenever another connection commits."""

    @property
    def is_replaced(self) -> bool:
        """Whether another database was put at the place since `make_engine`."""
        return False

    def check_unchanged(self) -> None:  # noqa: B027 - of a file
        """Refuse what was read from a file that was written meanwhile. Raises Locked."""

    @abstractmethod
    def check_integrity(self, connection: Connection) -> list[str]:
        """Return what the database's own integrity checks report."""

    def server_state(self, connection: Connection) -> ServerState | None:
        """Return the state of the server, read in a transaction; None for a file."""
        return None

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Raise driver errors of the block as errors of `db.errors`."""
        try:
            yield
        except self.driver_errors as error:
            translated = self.translate(error)
            if translated is None:
                raise
            raise translated from error

    def translate(self, error: Exception) -> DatabaseError | None:
        """Return this package's error for a driver error; None if it shows a program bug."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        if cause is None:
            return None
        code = getattr(cause, self.code_attribute, None) or ""
        failure = next((each for each in self.failures if code.startswith(each.codes)), None)
        failure = failure or self.find_failure(cause, code)
        if failure is None:
            return None
        message = failure.message.format(reason=self.shorten(cause))
        return failure.kind(f"{self.place} {message}")

    @abstractmethod
    def find_failure(self, cause: BaseException, code: str) -> KnownFailure | None:
        """Return the failure of a driver error whose code is missing or unknown."""

    @abstractmethod
    def shorten(self, cause: BaseException) -> str:
        """Return the reason that a driver error gives."""
