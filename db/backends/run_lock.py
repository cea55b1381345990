"""The interface to the locks that tell whether a run lives."""

from abc import ABC, abstractmethod


class RunLock(ABC):
    """The run locks of one database: each is free at the latest when its process has died."""

    @abstractmethod
    def try_acquire(self, run_id: int) -> bool:
        """Take a run's lock unless anyone, this process included, holds it."""

    @abstractmethod
    def release(self, run_id: int) -> None:
        """Give a run's lock back; nothing happens when this object's process does not hold it."""

    def is_alive(self, run_id: int) -> bool:
        """Whether a living process, this one included, holds the run's lock."""
        return self.holder(run_id) is not None

    @abstractmethod
    def holder(self, run_id: int) -> str | None:
        """The process that holds a run's lock, such as ``process 12``; None: the run is dead.

        Asks without taking the lock, so that it cannot make a `try_acquire` elsewhere fail.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of what was acquired here."""
