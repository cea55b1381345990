"""The interface to run locks, which show whether a run is in play."""

from abc import ABC, abstractmethod


class RunLocks(ABC):
    """The run locks of one database. A lock is freed when its process ends."""

    @abstractmethod
    def try_acquire(self, run_id: int) -> bool:
        """Take a run's lock; return False if any process, this one included, holds it."""

    @abstractmethod
    def release(self, run_id: int) -> None:
        """Release a run's lock.

        A file's lock is released if this process holds it, a server's if this object acquired it.
        """

    def is_alive(self, run_id: int) -> bool:
        """Return whether any process, this one included, holds the run's lock."""
        return self.holder(run_id) is not None

    @abstractmethod
    def holder(self, run_id: int) -> str | None:
        """Return the process that holds a run's lock, such as ``process 12``, or None.

        The lock is not taken, so that a `try_acquire` elsewhere cannot fail because of it.
        """

    @abstractmethod
    def close(self) -> None:
        """Release the locks.

        On a server, those that this object acquired. Of a file, all locks of the process,
        but only when its last object for the file is closed.
        """
