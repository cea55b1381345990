"""The interface to locks that show whether a process is alive: that of a run, or of a job."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import NamedTuple


class LockKind(Enum):
    """What a lock stands for."""

    RUN = "run"
    """A run in play."""
    JOB = "job"
    """A job of the queue in play."""


class HeldLock(NamedTuple):
    """A lock that a session holds."""

    kind: LockKind
    number: int


class ProcessLocks(ABC):
    """The locks of one kind of one database. A lock is freed when its process ends."""

    @abstractmethod
    def try_acquire(self, number: int) -> bool:
        """Take a lock; return False if any process, this one included, holds it."""

    @abstractmethod
    def release(self, number: int) -> None:
        """Release a lock.

        A file's lock is released if this process holds it, a server's if this object acquired it.
        """

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
        """Release the locks.

        On a server, those that this object acquired. Of a file, all locks of the process,
        but only when its last object for the file is closed.
        """
