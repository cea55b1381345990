"""The store: what the rest of the program reads from and writes to a database."""

from typing import Any

from db.backends.backend import ServerState, locate
from db.backends.locks import LockKind, ProcessLocks, shown_by_server
from db.database import Database
from db.queries.aggregate import Aggregate
from db.queries.analysis import Analysis
from db.queries.archives import Archives
from db.queries.audit import Audit
from db.queries.bots import Bots
from db.queries.divisions import Divisions, OpeningSets
from db.queries.games import Games
from db.queries.importer import Exchange
from db.queries.pairs import Pairs
from db.queries.plays import Plays
from db.queries.queue import Queue
from db.queries.runs import Runs, TuningSteps
from db.retry_policy import RetryPolicy

__all__ = [
    "Pairs",
    "ProcessLocks",
    "RetryPolicy",
    "ServerState",
    "Store",
    "locate",
    "shown_by_server",
]


class Store(Database):
    """An open database with its queries, to be used by one thread.

    A method that writes can be repeated safely after a `TransientError`. Database failures are
    raised as errors of `db.errors`.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.bots = Bots(self)
        self.archives = Archives(self)
        self.divisions = Divisions(self)
        self.opening_sets = OpeningSets(self)
        self.runs = Runs(self)
        self.pairs = Pairs(self)
        self.games = Games(self)
        self.tuning_steps = TuningSteps(self)
        self.aggregate = Aggregate(self)
        self.plays = Plays(self)
        self.exchange = Exchange(self)
        self.analysis = Analysis(self)
        self.queue = Queue(self)
        self.audit = Audit(self)

    def run_lock(self) -> ProcessLocks:
        """Open the run locks of this database; the caller closes them.

        Raises:
            Unwritable: the lock file beside a SQLite file cannot be created.

        """
        return self.process_locks(LockKind.RUN)

    def job_lock(self) -> ProcessLocks:
        """Open the locks of the jobs of this database's queue, as `run_lock` does."""
        return self.process_locks(LockKind.JOB)
