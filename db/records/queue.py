"""Records of the queue of experiments. Times are seconds since the epoch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class EntryState(Enum):
    """The state of an entry."""

    WAITING = "waiting"
    PLAYING = "playing"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the entry has ended."""
        return self in FINAL_STATES


FINAL_STATES = (EntryState.DONE, EntryState.FAILED, EntryState.CANCELLED)
DECIDED_CODES = (0, 3, 4)
"""Exit codes of a command that came to a result: done or passed, regression, inconclusive."""


class EntryRequest(Enum):
    """What the service of a playing entry shall do with it."""

    CANCEL = "cancel"
    PAUSE = "pause"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQueueBot:
    """A bot of a new entry that is not built in."""

    name: str
    spec: str
    revision_id: int
    archive: str
    """Name of the archive of its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """An experiment to be put into the queue."""

    command: str
    """Command, such as ``gate`` or ``suite run``."""
    arguments: tuple[str, ...]
    """The words after the command, without the database."""
    folder: str
    """Folder in which it was submitted, where files that it names lie."""
    author: str
    host: str
    priority: int = 0
    note: str = ""
    bots: tuple[NewQueueBot, ...] = ()
    archives: Mapping[str, bytes] = field(default_factory=dict)
    """The bots' archives by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRow:
    """An entry of the queue."""

    id: int
    command: str
    arguments: tuple[str, ...]
    folder: str
    """Folder in which it was submitted, where files that it names lie."""
    author: str
    host: str
    priority: int
    """Larger ones come first."""
    place: int
    """Order among waiting entries of one priority: smaller ones first, then by id."""
    note: str
    state: EntryState
    request: EntryRequest | None
    submitted_at: float
    started_at: float | None
    ended_at: float | None
    exit_code: int | None
    output: str
    message: str
    run_id: int | None
    """Its newest run; None until it is known."""
    service_id: int | None
    """The service that plays it, or played it last."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command line without ``ladder`` and the database."""
        return (*self.command.split(), *self.arguments)

    @property
    def order(self) -> tuple[int, int, int]:
        """Sort key of waiting entries, without regard to their authors."""
        return (-self.priority, self.place, self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueBotRow:
    """A bot of an entry that is not built in, as it was when the entry was submitted."""

    entry_id: int
    name: str
    spec: str
    revision_id: int
    archive: str | None
    """Name of its archive; None after the end of the entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewService:
    """A service that begins to play the queue."""

    host: str
    pid: int
    cluster: str | None
    """Address of the cluster's scheduler; None if it plays on its own machine."""
    jobs: int
    """Experiments that it plays at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRow:
    """A service that plays the queue, or has played it; it lives while its lock is held."""

    id: int
    host: str
    pid: int
    cluster: str | None
    jobs: int
    started_at: float
    seen_at: float
