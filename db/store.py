"""The store: the operations on stored games that the rest of the program needs, by subject."""

from contextlib import closing
from types import TracebackType
from typing import Self

from db.backends.place import locate
from db.backends.run_lock import RunLock
from db.connection.database import Database, OldSchema
from db.connection.followed import FollowedDatabase
from db.connection.read_only import open_to_read
from db.connection.retry_policy import RetryPolicy
from db.migrations import HEAD
from db.queries.aggregate import Aggregate
from db.queries.analysis import Analysis
from db.queries.audit import Audit
from db.queries.bots import Bots
from db.queries.divisions import Divisions
from db.queries.exchange import Exchange
from db.queries.games import Games
from db.queries.history import History
from db.queries.human_games import HumanGames
from db.queries.machines import Machines
from db.queries.opening_sets import OpeningSets
from db.queries.pairs import Pairs
from db.queries.runs import Runs
from db.queries.showcase import Showcase
from db.queries.tallies import Tallies
from db.queries.tuning import TuningSteps

__all__ = [
    "Aggregate",
    "Analysis",
    "Audit",
    "Bots",
    "Divisions",
    "Exchange",
    "Games",
    "History",
    "HumanGames",
    "Machines",
    "OpeningSets",
    "Pairs",
    "RetryPolicy",
    "RunLock",
    "Runs",
    "Showcase",
    "Store",
    "Tallies",
    "TuningSteps",
    "file_of",
    "server_of",
]


def file_of(where: str) -> str | None:
    """The absolute path of a database's file; None for one on a server.

    Args:
        where: a file path or a URL of SQLAlchemy.

    Raises:
        DatabaseError: it is a URL that cannot be read, or of another kind of database.

    """
    return locate(where).path


def server_of(where: str) -> str | None:
    """The server, its port and the database's name, the same for all users; None for a file.

    Args:
        where: a file path or a URL of SQLAlchemy.

    Raises:
        DatabaseError: it is a URL that cannot be read, or of another kind of database.

    """
    place = locate(where)
    return place.server_key if place.path is None else None


class Store:
    """An open database, for one thread of one process; others open their own.

    Every operation is one transaction. All of them raise the errors of `db.errors`, and nothing
    of the database library.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.bots = Bots(database)
        self.divisions = Divisions(database)
        self.opening_sets = OpeningSets(database)
        self.machines = Machines(database)
        self.runs = Runs(database)
        self.pairs = Pairs(database)
        self.games = Games(database)
        self.tallies = Tallies(database)
        self.tuning_steps = TuningSteps(database)
        self.aggregate = Aggregate(database)
        self.history = History(database)
        self.showcase = Showcase(database)
        self.human_games = HumanGames(database)
        self.exchange = Exchange(database)
        self.analysis = Analysis(database)
        self.audit = Audit(database)

    @classmethod
    def open(
        cls,
        where: str,
        *,
        create: bool = True,
        busy_s: float = 10.0,
        retry_policy: RetryPolicy | None = None,
    ) -> Self:
        """Open or create a database: a file path, or a URL of SQLAlchemy. Migrate an older file.

        Raises:
            DatabaseError: one of its subclasses says why not; nothing was written then.

        """
        return cls(Database.open(where, create=create, busy_s=busy_s, retry_policy=retry_policy))

    @classmethod
    def migrate(
        cls,
        where: str,
        *,
        force: bool = False,
        busy_s: float = 10.0,
        retry_policy: RetryPolicy | None = None,
    ) -> str | None:
        """Bring a database up to date, which opening does not on a server.

        Args:
            where: a file path or a URL of SQLAlchemy.
            force: also while runs are in play on a server.
            busy_s: how long to wait for another writer, each time.
            retry_policy: how long to wait altogether.

        Returns:
            The version that it had when that was older.

        Raises:
            InUse: runs are in play.
            DatabaseError: another of its subclasses says why not.

        """
        database = Database.open(
            where,
            create=False,
            busy_s=busy_s,
            retry_policy=retry_policy,
            old_schema=OldSchema.MIGRATE,
        )
        with closing(database):
            version = database.migrate(force=force)
        return None if version == HEAD else version

    @classmethod
    def open_to_read(
        cls, where: str, *, busy_s: float = 10.0, retry_policy: RetryPolicy | None = None
    ) -> Self:
        """Open an existing database for reading, also one that cannot be written.

        Raises:
            DatabaseError: one of its subclasses says why it cannot be read.

        """
        return cls(open_to_read(where, busy_s=busy_s, retry_policy=retry_policy))

    @classmethod
    def follow(cls, where: str, *, busy_s: float = 2.0) -> "FollowedStore":
        """Open an existing database to read it while others write it; nothing is migrated.

        Raises:
            DatabaseError: one of its subclasses says why it cannot be read.

        """
        return FollowedStore(FollowedDatabase.follow(where, busy_s=busy_s))

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be written here: file, folder, disk or the server forbid it."""
        return self._database.is_read_only

    @property
    def retry_policy(self) -> RetryPolicy:
        """How long every operation waits for a server that is away, and who hears of it."""
        return self._database.retry_policy

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> str | None:
        """The absolute path of the SQLite file; None on a server."""
        return self._database.place.path

    @property
    def where(self) -> str:
        """The place as a person writes it, without a password."""
        return str(self._database.place)

    def run_lock(self) -> RunLock:
        """The run locks of this database; close them after use.

        Raises:
            Unwritable: the lock file beside a SQLite file cannot be made.

        """
        return self._database.run_lock()


class FollowedStore(Store):
    """A store that looks while others write. Every operation that writes raises Unwritable."""

    def __init__(self, database: FollowedDatabase) -> None:
        super().__init__(database)
        self._followed = database

    @property
    def is_replaced(self) -> bool:
        """Whether another file lies at the database's place now, or none."""
        return self._followed.is_replaced

    def change_mark(self) -> object:
        """A value that differs from the last one after somebody else has stored something."""
        return self._followed.change_mark()
