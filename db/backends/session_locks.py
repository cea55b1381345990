"""Locks on a PostgreSQL server: advisory locks of the session that writes.

A process that can write therefore still holds its locks, and a lost connection frees them.
"""

from sqlalchemy import Connection, text

from db.backends.backend import Connections
from db.backends.process_locks import HeldLock, LockKind, ProcessLocks
from db.backends.sessions import format_session_name

LOCK_CLASSES = {LockKind.RUN: 0x4334526E, LockKind.JOB: 0x43344A62}
"""The first of the two numbers of an advisory lock; the second is the run's or job's."""

_LOCK = text("SELECT pg_try_advisory_lock(:class, :number)")
_UNLOCK = text("SELECT pg_advisory_unlock(:class, :number)")
_HOLDERS = text(
    "SELECT l.objid AS number, l.pid, a.application_name "
    "FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND l.classid = :class"
)


class SessionLocks(ProcessLocks):
    """The locks of one kind of a server's database."""

    def __init__(self, connections: Connections, kind: LockKind) -> None:
        """Use the connections of a database, whose writing session holds the locks."""
        self._connections = connections
        self._kind = kind
        self._acquired: set[HeldLock] = set()

    def try_acquire(self, number: int) -> bool:
        """Take a lock; return False if any process, this one included, holds it."""
        held_locks, lock = self._connections.held_locks, HeldLock(self._kind, number)
        if lock in held_locks:
            return False
        if not self._connections.retry(lambda: self._lock(lock)):
            return False
        held_locks.add(lock)
        self._acquired.add(lock)
        return True

    def _lock(self, lock: HeldLock) -> bool:
        with self._connections.translating_errors(), self._connections.writer.begin():
            return take_lock(self._connections.writer, lock)

    def release(self, number: int) -> None:
        """Release a lock if this object acquired it."""
        lock = HeldLock(self._kind, number)
        if lock in self._acquired:
            self._acquired.discard(lock)
            self._connections.held_locks.discard(lock)
            self._connections.retry(lambda: self._unlock(lock))

    def _unlock(self, lock: HeldLock) -> None:
        with self._connections.translating_errors(), self._connections.writer.begin():
            self._connections.writer.execute(_UNLOCK, _values(lock))

    def holder(self, number: int) -> str | None:
        """Return the process and machine that hold a lock, or None."""
        return self._connections.retry(lambda: self._holder(number))

    def _holder(self, number: int) -> str | None:
        with self._connections.reading() as connection:
            return find_holder(connection, HeldLock(self._kind, number))

    def close(self) -> None:
        """Release all locks that this object acquired."""
        for lock in tuple(self._acquired):
            self.release(lock.number)


def take_lock(connection: Connection, lock: HeldLock) -> bool:
    """Take a lock for a connection's session; return False if another session holds it."""
    return bool(connection.execute(_LOCK, _values(lock)).scalar_one())


def find_holder(connection: Connection, lock: HeldLock) -> str | None:
    """Return the process whose session holds a lock, or None."""
    return find_live(connection, lock.kind).get(lock.number)


def find_live(connection: Connection, kind: LockKind) -> dict[int, str]:
    """Return the process of each run or job in play by its number."""
    rows = connection.execute(_HOLDERS, {"class": LOCK_CLASSES[kind]})
    return {row.number: format_session_name(row.application_name, row.pid) for row in rows}


def _values(lock: HeldLock) -> dict[str, int]:
    return {"class": LOCK_CLASSES[lock.kind], "number": lock.number}
