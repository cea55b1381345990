"""Records of the queue. Times are seconds since the epoch."""

import shlex
from dataclasses import dataclass
from enum import Enum


class JobStatus(Enum):
    """The status of a job."""

    WAITING = "waiting"
    PLAYING = "playing"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the job has ended."""
        return self not in OPEN_STATUSES


OPEN_STATUSES = (JobStatus.WAITING, JobStatus.PLAYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job of the queue."""

    id: int
    command: str
    """The command line without ``ladder``, quoted for a shell."""
    folder: str
    author: str
    note: str
    status: JobStatus
    added_at: float
    started_at: float | None
    """Its last start; None while it waits."""
    ended_at: float | None
    exit_code: int | None
    """Exit code of its command; negative for a signal; None before its end."""
    result: str
    """What its command printed: its result, or why it failed."""

    @property
    def words(self) -> list[str]:
        """The words after ``ladder``."""
        return shlex.split(self.command)
