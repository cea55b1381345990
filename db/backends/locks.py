"""Locks that show which process is alive: that of a run, or of a job of the queue.

Beside a file they lie in ``<database>.locks``, where each run and job has a record of four bytes:
its process locks the record and writes its number there. On a server they are advisory locks of the
session that writes, so that a process that can write still holds them. The kernel or the server
frees a lock however its process ends.
"""

import fcntl
import os
import socket
import struct
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection, text

from db.companion_files import LOCKS
from db.errors import Unwritable

T = TypeVar("T")


class LockKind(Enum):
    """What a lock stands for, with the first of the two numbers of its advisory lock."""

    RUN = 0x4334526E
    """A run in play."""
    JOB = 0x43344A62
    """A job of the queue in play."""


WRITER = 0x43346C64
"""First number of the advisory lock of the transaction that writes."""


class HeldLock(NamedTuple):
    """A lock that a session holds."""

    kind: LockKind
    number: int


class Connections(Protocol):
    """The part of an open database that its locks use."""

    held_locks: set[HeldLock]
    """Locks that the writing session holds on a server."""

    @property
    def writer(self) -> Connection:
        """The connection that writes. A new one that replaces a lost one holds the same locks."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Open a transaction that reads. Raises DatabaseError."""

    def retry(self, attempt: Callable[[], T]) -> T:
        """Return the result of an attempt, repeated while the server does not answer."""

    def translating_errors(self) -> AbstractContextManager[None]:
        """Open a block in which driver errors become errors of `db.errors`."""


class ProcessLocks(ABC):
    """The locks of one kind of one database, of which this object holds those that it took."""

    @abstractmethod
    def try_acquire(self, number: int) -> bool:
        """Take a lock; return False if any process, this one included, holds it."""

    @abstractmethod
    def release(self, number: int) -> None:
        """Release a lock if this object holds it."""

    def is_alive(self, number: int) -> bool:
        """Return whether any process, this one included, holds a lock."""
        return self.holder(number) is not None

    @abstractmethod
    def holder(self, number: int) -> str | None:
        """Return the process that holds a lock, such as ``process 12``, or None.

        The lock is not taken, so that a `try_acquire` elsewhere cannot fail because of it.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the locks."""


_RECORD = struct.Struct("=i")
_FLOCK = "hhqqi"
"""`struct flock` of Linux: l_type, l_whence, l_start, l_len, l_pid (0 for these locks)."""


class FileLocks(ProcessLocks):
    """The locks of one kind of one database file.

    They belong to the open file (F_OFD_SETLK), not to the process, which drops locks of its own
    when it closes the file anywhere else.
    """

    def __init__(self, database_path: str, kind: LockKind = LockKind.RUN) -> None:
        """Open the lock file of a SQLite database.

        Raises:
            Unwritable: the lock file cannot be created.

        """
        self._place = list(LockKind).index(kind)
        self._held: set[int] = set()
        path = os.path.realpath(database_path) + LOCKS
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise Unwritable(
                f"{path} cannot be written ({error.strerror}); "
                "check the folder and its permissions, or choose another database"
            ) from error

    def _start(self, number: int) -> int:
        return (number * len(LockKind) + self._place) * _RECORD.size

    def _control(self, command: int, kind: int, number: int) -> int:
        """Change or look up a lock; return its kind."""
        start = self._start(number)
        request = struct.pack(_FLOCK, kind, os.SEEK_SET, start, _RECORD.size, 0)
        reply: tuple[int, ...] = struct.unpack(_FLOCK, fcntl.fcntl(self._file, command, request))
        return reply[0]

    def try_acquire(self, number: int) -> bool:
        """Take a lock; return False if any process, this one included, holds it."""
        if number in self._held:
            return False
        try:
            self._control(fcntl.F_OFD_SETLK, fcntl.F_WRLCK, number)
        except (BlockingIOError, PermissionError):
            return False
        os.pwrite(self._file, _RECORD.pack(os.getpid()), self._start(number))
        self._held.add(number)
        return True

    def release(self, number: int) -> None:
        """Release a lock if this object holds it."""
        if number in self._held:
            self._held.discard(number)
            self._control(fcntl.F_OFD_SETLK, fcntl.F_UNLCK, number)

    def holder(self, number: int) -> str | None:
        """Return the process that holds a lock, such as ``process 12``, or None."""
        if number not in self._held:
            kind = self._control(fcntl.F_OFD_GETLK, fcntl.F_WRLCK, number)
            if kind == fcntl.F_UNLCK:
                return None
        record = os.pread(self._file, _RECORD.size, self._start(number))
        known = len(record) == _RECORD.size
        return f"process {_RECORD.unpack(record)[0]}" if known else "another process"

    def close(self) -> None:
        """Close the file, which releases the locks of this object."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


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
        if lock in held_locks or not self._connections.retry(lambda: self._lock(lock)):
            return False
        held_locks.add(lock)
        self._acquired.add(lock)
        return True

    def _lock(self, lock: HeldLock) -> bool:
        with self._connections.translating_errors(), self._connections.writer.begin():
            return take_lock(self._connections.writer, lock)

    def release(self, number: int) -> None:
        """Release a lock if this object holds it."""
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
        return self._connections.retry(lambda: self._live().get(number))

    def _live(self) -> dict[int, str]:
        with self._connections.reading() as connection:
            return find_live(connection, self._kind.value)

    def close(self) -> None:
        """Release all locks that this object acquired."""
        for lock in tuple(self._acquired):
            self.release(lock.number)


def take_lock(connection: Connection, lock: HeldLock) -> bool:
    """Take a lock for a connection's session; return False if another session holds it."""
    return bool(connection.execute(_LOCK, _values(lock)).scalar_one())


def find_live(connection: Connection, lock_class: int) -> dict[int, str]:
    """Return the process that holds each lock of a class, by the lock's second number."""
    rows = connection.execute(_HOLDERS, {"class": lock_class})
    return {
        row.number: (row.application_name or "").removeprefix(_PREFIX)
        or f"session {row.pid} of the server"
        for row in rows
    }


def _values(lock: HeldLock) -> dict[str, int]:
    return {"class": lock.kind.value, "number": lock.number}


_PREFIX = "ladder: "
_NAME_BYTES = 63
"""The server cuts longer application names."""


def make_session_name() -> str:
    """Return the application name of this process: its number, host and command."""
    program, *words = [Path(word).name for word in sys.argv[:2]] or ["python"]
    command = " ".join([program, *(word for word in words if word.isalpha())])
    prefix, suffix = f"{_PREFIX}process {os.getpid()} on ", f" ({command[:20]})"
    host = socket.gethostname()[: _NAME_BYTES - len(prefix + suffix)]
    return f"{prefix}{host}{suffix}".encode("ascii", "replace").decode()
