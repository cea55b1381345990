"""Run locks on a PostgreSQL server: advisory locks of the session that writes.

A process that can write therefore still holds its locks, and a lost connection frees them.
"""

from sqlalchemy import Connection, text

from db.backends.backend import Connections
from db.backends.run_lock import RunLocks
from db.backends.sessions import format_session_name

LOCK_CLASS = 0x4334526E
"""The first of the two numbers of an advisory lock; the second is the run's."""

_LOCK = text("SELECT pg_try_advisory_lock(:class, :run)")
_UNLOCK = text("SELECT pg_advisory_unlock(:class, :run)")
_HOLDERS = text(
    "SELECT l.objid AS run, l.pid, a.application_name "
    "FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND l.classid = :class"
)


class SessionRunLocks(RunLocks):
    """The run locks of a server's database."""

    def __init__(self, connections: Connections) -> None:
        """Use the connections of a database, whose writing session holds the locks."""
        self._connections = connections
        self._acquired: set[int] = set()

    def try_acquire(self, run_id: int) -> bool:
        """Take a run's lock; return False if any process, this one included, holds it."""
        locked_runs = self._connections.locked_runs
        if run_id in locked_runs:
            return False
        if not self._connections.retry(lambda: self._lock(run_id)):
            return False
        locked_runs.add(run_id)
        self._acquired.add(run_id)
        return True

    def _lock(self, run_id: int) -> bool:
        with self._connections.translating_errors(), self._connections.writer.begin():
            return lock_run(self._connections.writer, run_id)

    def release(self, run_id: int) -> None:
        """Release a run's lock if this object acquired it."""
        if run_id in self._acquired:
            self._acquired.discard(run_id)
            self._connections.locked_runs.discard(run_id)
            self._connections.retry(lambda: self._unlock(run_id))

    def _unlock(self, run_id: int) -> None:
        with self._connections.translating_errors(), self._connections.writer.begin():
            self._connections.writer.execute(_UNLOCK, {"class": LOCK_CLASS, "run": run_id})

    def holder(self, run_id: int) -> str | None:
        """Return the process and machine that hold a run's lock, or None."""
        return self._connections.retry(lambda: self._holder(run_id))

    def _holder(self, run_id: int) -> str | None:
        with self._connections.reading() as connection:
            return find_holder(connection, run_id)

    def close(self) -> None:
        """Release all locks that this object acquired."""
        for run_id in tuple(self._acquired):
            self.release(run_id)


def lock_run(connection: Connection, run_id: int) -> bool:
    """Take a run's lock for a connection's session; return False if another session holds it."""
    return bool(connection.execute(_LOCK, {"class": LOCK_CLASS, "run": run_id}).scalar_one())


def find_holder(connection: Connection, run_id: int) -> str | None:
    """Return the process whose session holds a run's lock, or None."""
    return find_live_runs(connection).get(run_id)


def find_live_runs(connection: Connection) -> dict[int, str]:
    """Return the process that plays each run in play, by the run's number."""
    rows = connection.execute(_HOLDERS, {"class": LOCK_CLASS})
    return {row.run: format_session_name(row.application_name, row.pid) for row in rows}
