"""The interface to one kind of database: all in which SQLite and PostgreSQL differ."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection, Engine

from db.backends.place import Place
from db.backends.run_lock import RunLock
from db.errors import DatabaseError
from db.records.server import ServerState

T = TypeVar("T")
CONFLICT = (
    "refused a change ({reason}): another command has deleted a row that it refers to, or has "
    "stored the same one; check `ladder bots list` and `ladder runs`, then run the command again"
)
"""The sentence of a broken constraint, behind the database's name."""


class Token(NamedTuple):
    """What identifies a transaction of a process."""

    writer: int
    """Drawn at random by the process."""
    number: int
    """The process counts its transactions from 1."""


class Connections(Protocol):
    """An open database, as far as its run locks use it."""

    held: set[int]
    """The runs whose locks the session of `writer` holds, where the database keeps them."""

    @property
    def writer(self) -> Connection:
        """The connection that writes. When the server ended it, another holds the same locks."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A transaction that reads. Raises DatabaseError."""

    def persist(self, attempt: Callable[[], T]) -> T:
        """The result of an attempt that is repeated while the server is away."""

    def trying(self) -> AbstractContextManager[None]:
        """A block in which a driver's errors become those of `db.errors`."""


class Backend(ABC):
    """One database as its kind needs it handled. Holds no connection."""

    def __init__(self, place: Place, busy_s: float) -> None:
        """`busy_s`: seconds for which a write waits for another one."""
        self.place = place
        self.busy_s = busy_s

    # Opening.

    @abstractmethod
    def check_place(self, *, create: bool) -> None:
        """Look at the place before any connection. Raises DatabaseError."""

    @abstractmethod
    def make_engine(self) -> Engine:
        """An engine whose connections are set up. Raises DatabaseError: its driver is missing."""

    @abstractmethod
    def make_following_engine(self) -> Engine:
        """An engine for a database that is read while others write it. Raises DatabaseError."""

    @abstractmethod
    def check_ours(self, connection: Connection) -> None:
        """Refuse a database of another program, or one that cannot serve. Raises DatabaseError."""

    @abstractmethod
    def tables(self, connection: Connection) -> set[str]:
        """The names of the tables that lie at the place."""

    @abstractmethod
    def is_writable(self, connection: Connection) -> bool:
        """Whether this user may store games through an open connection."""

    # Migrations.

    migrates_when_opened: bool
    """Whether an older database is migrated by the first command that opens it."""
    migration_advice: str
    """The end of a sentence about an older database."""

    def check_migration(  # noqa: B027 - files need no check
        self, connection: Connection, *, force: bool
    ) -> None:
        """Get ready to migrate an older database, within the transaction.

        Args:
            connection: in the transaction.
            force: migrate also while runs are in play.

        Raises:
            InUse: runs are in play.
            Unwritable: the user may not change the tables.

        """

    def stand_in_for_missing_tables(  # noqa: B027 - older files are migrated
        self, connection: Connection, queries: Mapping[str, str]
    ) -> None:
        """Let tables that end with the connection stand for those that an older one lacks.

        Raises a driver's error where no temporary tables can be made.

        Args:
            connection: in no transaction.
            queries: for the rows, by table; tables without one are empty.

        """

    @abstractmethod
    def mark_as_ours(self, connection: Connection) -> None:
        """Leave our mark in a new database, in the transaction that makes its tables."""

    @abstractmethod
    def keep_copy(self, version: str) -> None:
        """Keep what the database is, before it is migrated from a version."""

    @abstractmethod
    def migrating(self, writer: Connection) -> AbstractContextManager[object]:
        """Return a block around the transaction that migrates, in which tables may be copied."""

    @abstractmethod
    def settle(self, connection: Connection) -> None:
        """Set what stays set in an up-to-date database; outside of a transaction."""

    # Connections and transactions.

    driver_errors: tuple[type[Exception], ...]
    """Errors of the driver, past SQLAlchemy or through it."""

    reading_options: Mapping[str, Any] = {}
    """Execution options of connections whose transactions see one state of the database."""
    writing_options: Mapping[str, Any] = {}
    """Execution options of connections whose transactions write."""

    @abstractmethod
    def take_up(self, writer: Connection, former: int | None, held: set[int]) -> int | None:
        """Make a new connection the one that writes, in the place of one that was lost.

        Args:
            writer: in no transaction.
            former: what this returned for the connection that was lost; it is ended for good.
            held: the runs whose locks are taken again.

        Raises:
            InUse: somebody else has taken one of the locks meanwhile.

        """

    def name_blocker(self, connection: Connection) -> str | None:
        """Name whom a writer waits for, in a transaction that reads; None if it is not known."""
        return None

    @abstractmethod
    def begin_writing(self, connection: Connection, token: Token | None) -> None:
        """Take the write lock, and store a token by which `was_committed` knows the transaction.

        None while there are no tables. In a block of `pipelined` nothing is waited for.
        """

    @abstractmethod
    def end_writing(self, connection: Connection) -> None:
        """Give the server the commit, where it is to travel with the statements before it."""

    @abstractmethod
    def was_committed(self, connection: Connection, token: Token) -> bool:
        """Return whether a transaction whose commit got no answer was committed."""

    @abstractmethod
    def pipelined(self, connection: Connection) -> AbstractContextManager[object]:
        """A block whose statements, given to the driver, wait for answers only where they are read.

        SQLAlchemy's own statements have no place in it. Its end waits for all answers.
        """

    # Following.

    @abstractmethod
    def change_mark(self, connection: Connection) -> object:
        """A value that differs from the last one after another connection has committed."""

    @abstractmethod
    def identity(self) -> object:
        """A value that differs when another database lies at the place."""

    # Looking after it.

    @abstractmethod
    def complaints(self, connection: Connection) -> list[str]:
        """The complaints of the database's own integrity checks."""

    @abstractmethod
    def foreign_objects(self, connection: Connection) -> list[str]:
        """Triggers and views, of which this program makes none."""

    def server_state(self, connection: Connection, needed: str) -> ServerState | None:
        """Look at the server; None for a file.

        Args:
            connection: in a transaction that reads.
            needed: the version of the tables that this program needs.

        """
        return None

    @abstractmethod
    def run_lock(self, connections: Connections) -> RunLock:
        """The locks that tell which runs live. Raises DatabaseError."""

    @abstractmethod
    def translate(self, error: Exception) -> DatabaseError | None:
        """This package's error for a driver's, None for one that tells of a bug in our code."""
