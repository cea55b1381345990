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
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from db.companion_files import LOCKS
from db.errors import Unwritable


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


class ProcessLocks(ABC):
    """The locks of one kind of one database, of which this object holds those that it took."""

    def __init__(self, kind: LockKind) -> None:
        self._kind = kind
        self._held: set[int] = set()

    def try_acquire(self, number: int) -> bool:
        """Take a lock; return False if any process, this one included, holds it."""
        if number in self._held or not self._take(number):
            return False
        self._held.add(number)
        return True

    def release(self, number: int) -> None:
        """Release a lock if this object holds it."""
        if number in self._held:
            self._held.discard(number)
            self._free(number)

    def is_alive(self, number: int) -> bool:
        """Return whether any process, this one included, holds a lock."""
        return self.holder(number) is not None

    @abstractmethod
    def holder(self, number: int) -> str | None:
        """Return the process that holds a lock, such as ``process 12``, or None.

        The lock is not taken, so that a `try_acquire` elsewhere cannot fail because of it.
        """

    @abstractmethod
    def any_holder(self) -> str | None:
        """Return a process that holds any lock of this kind, or None."""

    def close(self) -> None:
        """Release the locks."""
        for number in tuple(self._held):
            self.release(number)

    @abstractmethod
    def _take(self, number: int) -> bool:
        """Take a lock that this object does not hold; return whether it was free."""

    @abstractmethod
    def _free(self, number: int) -> None:
        """Release a lock that this object holds."""


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
        super().__init__(kind)
        path = os.path.realpath(database_path) + LOCKS
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise Unwritable(
                f"{path} cannot be written ({error.strerror}); "
                "check the folder and its permissions, or choose another database"
            ) from error

    def holder(self, number: int) -> str | None:
        """Return the process that holds a lock, such as ``process 12``, or None."""
        if number not in self._held:
            kind = self._control(fcntl.F_OFD_GETLK, fcntl.F_WRLCK, number)
            if kind == fcntl.F_UNLCK:
                return None
        return self._name_at(self._start(number))

    def any_holder(self) -> str | None:
        """Return a process that holds any lock of the file, of whatever kind, or None."""
        request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, start, *_ = struct.unpack(
            _FLOCK, fcntl.fcntl(self._file, fcntl.F_OFD_GETLK, request)
        )
        return None if kind == fcntl.F_UNLCK else self._name_at(start)

    def _name_at(self, start: int) -> str:
        """Return the process that wrote its number into a record."""
        record = os.pread(self._file, _RECORD.size, start)
        known = len(record) == _RECORD.size
        return f"process {_RECORD.unpack(record)[0]}" if known else "another process"

    def close(self) -> None:
        """Close the file, which releases the locks of this object."""
        self._held.clear()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _take(self, number: int) -> bool:
        try:
            self._control(fcntl.F_OFD_SETLK, fcntl.F_WRLCK, number)
        except (BlockingIOError, PermissionError):
            return False
        os.pwrite(self._file, _RECORD.pack(os.getpid()), self._start(number))
        return True

    def _free(self, number: int) -> None:
        self._control(fcntl.F_OFD_SETLK, fcntl.F_UNLCK, number)

    def _start(self, number: int) -> int:
        kinds = list(LockKind)
        return (number * len(kinds) + kinds.index(self._kind)) * _RECORD.size

    def _control(self, command: int, kind: int, number: int) -> int:
        """Change or look up a lock; return its kind."""
        start = self._start(number)
        request = struct.pack(_FLOCK, kind, os.SEEK_SET, start, _RECORD.size, 0)
        reply: tuple[int, ...] = struct.unpack(_FLOCK, fcntl.fcntl(self._file, command, request))
        return reply[0]


SERVER = 0
"""Number of the lock, beside those of runs, which count from 1, of a server that shows a file."""


@contextmanager
def shown_by_server(database_path: str | None) -> Iterator[None]:
    """Keep a file (None: a server's database) from being migrated while a server shows it."""
    locks = None
    if database_path is not None:
        with suppress(Unwritable):  # nothing can be migrated there either
            locks = FileLocks(database_path)
            locks.try_acquire(SERVER)  # another server may have it
    try:
        yield
    finally:
        if locks is not None:
            locks.close()


_LOCK = text("SELECT pg_try_advisory_lock(:class, :number)")
_UNLOCK = text("SELECT pg_advisory_unlock(:class, :number)")
_HOLDERS = text(
    "SELECT l.objid AS number, l.pid, a.application_name "
    "FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND l.classid = :class"
)
InTransaction = Callable[[Callable[[Connection], Any]], Any]
"""Returns the result of an action in a transaction, with retries."""


class SessionLocks(ProcessLocks):
    """The locks of one kind of a server's database."""

    def __init__(
        self,
        in_session: InTransaction,
        reading: InTransaction,
        held_locks: set[HeldLock],
        kind: LockKind,
    ) -> None:
        """Use the session of a database that writes, with the locks that it holds.

        `reading` looks at locks without opening that session, so that a follower has only one.
        """
        super().__init__(kind)
        self._in_session = in_session
        self._reading = reading
        self._held_locks = held_locks

    def holder(self, number: int) -> str | None:
        """Return the process and machine that hold a lock, or None."""
        return self._live().get(number)

    def any_holder(self) -> str | None:
        """Return the process and machine that hold any lock of this kind, or None."""
        return next(iter(self._live().values()), None)

    def _live(self) -> dict[int, str]:
        live: dict[int, str] = self._reading(lambda one: find_live(one, self._kind.value))
        return live

    def _take(self, number: int) -> bool:
        lock = HeldLock(self._kind, number)
        # The server would give it to the same session twice.
        if lock in self._held_locks or not self._in_session(lambda one: take_lock(one, lock)):
            return False
        self._held_locks.add(lock)
        return True

    def _free(self, number: int) -> None:
        lock = HeldLock(self._kind, number)
        self._held_locks.discard(lock)
        self._in_session(lambda one: one.execute(_UNLOCK, _values(lock)))


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


def make_session_name() -> str:
    """Return the application name of this process, of which the server keeps 63 bytes."""
    return f"{_PREFIX}process {os.getpid()} on {socket.gethostname()}"
