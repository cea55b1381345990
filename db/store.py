"""The store: what the rest of the program reads from and writes to a database."""

from types import TracebackType
from typing import Self

from db.backends.backend import locate
from db.backends.locks import LockKind, ProcessLocks
from db.database import Database
from db.queries.aggregate import Aggregate
from db.queries.analysis import Analysis
from db.queries.archives import Archives
from db.queries.audit import Audit
from db.queries.bots import Bots
from db.queries.divisions import Divisions, OpeningSets
from db.queries.games import Games
from db.queries.history import History
from db.queries.importer import Exchange
from db.queries.pairs import Pairs
from db.queries.plays import Plays
from db.queries.queue import Queue
from db.queries.runs import Runs, TuningSteps
from db.retry_policy import RetryPolicy

__all__ = ["Pairs", "ProcessLocks", "RetryPolicy", "Store", "locate"]


def _convert(database: Database) -> None:
    from db.convert import convert_file  # only needed here, and takes long to load

    convert_file(database)


class Store:
    """An open database, to be used by one thread.

    A method that writes can be repeated safely after a `TransientError`. Database failures are
    raised as errors of `db.errors`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.bots = Bots(database)
        self.archives = Archives(database)
        self.divisions = Divisions(database)
        self.opening_sets = OpeningSets(database)
        self.runs = Runs(database)
        self.pairs = Pairs(database)
        self.games = Games(database)
        self.tuning_steps = TuningSteps(database)
        self.aggregate = Aggregate(database)
        self.history = History(database)
        self.plays = Plays(database)
        self.exchange = Exchange(database)
        self.analysis = Analysis(database)
        self.queue = Queue(database)
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
        """Open or create a database. A file of a former version is converted.

        Args:
            where: a file path or an SQLAlchemy URL.
            create: whether to create a missing database.
            busy_s: seconds to wait for another writer, for each transaction.
            retry_policy: how long to wait for a server that does not answer.

        Raises:
            DatabaseError: it cannot be opened; nothing was written.

        """
        database = Database.open(
            where, create=create, busy_s=busy_s, retry_policy=retry_policy, convert=_convert
        )
        return cls(database)

    @classmethod
    def open_to_read(
        cls, where: str, *, busy_s: float = 10.0, retry_policy: RetryPolicy | None = None
    ) -> Self:
        """Open an existing database for reading, even if it cannot be written.

        A writable file of a former version is converted.

        Raises:
            DatabaseError: it cannot be read.

        """
        database = Database.open_to_read(
            where, busy_s=busy_s, retry_policy=retry_policy, convert=_convert
        )
        return cls(database)

    @classmethod
    def follow(cls, where: str, *, busy_s: float = 2.0) -> Self:
        """Open an existing database to read it while others write it; convert nothing.

        Raises:
            DatabaseError: it cannot be read.

        """
        return cls(Database.follow(where, busy_s=busy_s))

    @property
    def is_read_only(self) -> bool:
        """Whether this store cannot write: its file, disk or server, or how it was opened."""
        return self._database.is_read_only

    @property
    def retry_policy(self) -> RetryPolicy:
        """How long every operation waits for a server that does not answer."""
        return self._database.retry_policy

    def close(self) -> None:
        """Close all connections."""
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
        """The absolute path of the SQLite file; None for a server."""
        return self._database.place.path

    @property
    def where(self) -> str:
        """The path or URL for messages, without a password."""
        return str(self._database.place)

    def run_lock(self) -> ProcessLocks:
        """Open the run locks of this database; the caller closes them.

        Raises:
            Unwritable: the lock file beside a SQLite file cannot be created.

        """
        return self._database.process_locks(LockKind.RUN)

    def job_lock(self) -> ProcessLocks:
        """Open the locks of the jobs of this database's queue, as `run_lock` does."""
        return self._database.process_locks(LockKind.JOB)

    @property
    def is_replaced(self) -> bool:
        """Whether the database was deleted, replaced by another file, or converted."""
        return self._database.is_replaced

    def change_mark(self) -> object:
        """Return a value that changes whenever another connection commits."""
        return self._database.change_mark()
