"""Run locks that a PostgreSQL server keeps: advisory locks, which end with their session.

They are those of the session that writes. So whoever can write still holds its locks, and a lost
connection frees them.
"""

from sqlalchemy import Connection, text

from db.backends.backend import Connections
from db.backends.run_lock import RunLock
from db.backends.sessions import name_of_session

RUNS = 0x4334526E
"""The first of an advisory lock's two numbers; the second is the run's."""

_LOCK = text("SELECT pg_try_advisory_lock(:runs, :run)")
_UNLOCK = text("SELECT pg_advisory_unlock(:runs, :run)")
_HOLDERS = text(
    "SELECT l.objid AS run, l.pid, a.application_name "
    "FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND l.classid = :runs"
)


class SessionRunLock(RunLock):
    """The run locks of one database of a server."""

    def __init__(self, connections: Connections) -> None:
        """`connections`: of the database, whose writing session holds the locks."""
        self._connections = connections
        self._mine: set[int] = set()

    def try_acquire(self, run_id: int) -> bool:
        """Take a run's lock unless anyone, this process included, holds it."""
        held = self._connections.held
        if run_id in held:
            return False
        if not self._connections.persist(lambda: self._lock(run_id)):
            return False
        held.add(run_id)
        self._mine.add(run_id)
        return True

    def _lock(self, run_id: int) -> bool:
        with self._connections.trying(), self._connections.writer.begin():
            return lock_run(self._connections.writer, run_id)

    def release(self, run_id: int) -> None:
        """Give a run's lock back; nothing happens when it was not acquired here."""
        if run_id in self._mine:
            self._mine.discard(run_id)
            self._connections.held.discard(run_id)
            self._connections.persist(lambda: self._unlock(run_id))

    def _unlock(self, run_id: int) -> None:
        with self._connections.trying(), self._connections.writer.begin():
            self._connections.writer.execute(_UNLOCK, {"runs": RUNS, "run": run_id})

    def holder(self, run_id: int) -> str | None:
        """The process that holds a run's lock, and its machine; None: the run is dead."""
        return self._connections.persist(lambda: self._holder(run_id))

    def _holder(self, run_id: int) -> str | None:
        with self._connections.reading() as connection:
            return holder_of(connection, run_id)

    def close(self) -> None:
        """Give back what was acquired here."""
        for run_id in tuple(self._mine):
            self.release(run_id)


def lock_run(connection: Connection, run_id: int) -> bool:
    """Take a run's lock for the session of a connection; False: another session has it."""
    return bool(connection.execute(_LOCK, {"runs": RUNS, "run": run_id}).scalar_one())


def holder_of(connection: Connection, run_id: int) -> str | None:
    """Return the process whose session holds a run's lock; None if no process does."""
    return live_runs(connection).get(run_id)


def live_runs(connection: Connection) -> dict[int, str]:
    """Return the process whose session holds a run's lock, for each run that is in play."""
    rows = connection.execute(_HOLDERS, {"runs": RUNS})
    return {row.run: name_of_session(row.application_name, row.pid) for row in rows}
