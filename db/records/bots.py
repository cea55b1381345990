"""Records of bots and their revisions. Times are seconds since the epoch."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from db.records.archives import UnpackedArchive
from db.records.launch import Launch

HUMAN = "human"
"""Name, specification and content hash of the bot that stands for people."""


def remedy_for(
    name: str, known: Iterable[str], otherwise: str = "`ladder bots list` shows them"
) -> str:
    """Return advice about an unknown name: similar names, or else `otherwise`."""
    near = difflib.get_close_matches(name, list(known))
    return f"did you mean {' or '.join(near)}?" if near else otherwise


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A bot's present content, to be stored as a revision."""

    content_hash: str
    """Equal for equal players."""
    launch: Launch
    budgets: tuple[str, ...]
    """Budget kinds in order of preference, from its `hello`."""
    boards: tuple[str, ...] | None = None
    """Boards from its `hello`; None for all."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The parts outside of the archive: a version or value by path or option."""
    packed: UnpackedArchive | None = None
    """The archive that its launch names, unless that is stored already."""


@dataclass(frozen=True, slots=True)
class NewBot:
    """A bot to be registered with its first revision."""

    name: str
    family: str
    spec: str
    """The specification that it was registered with, such as ``builtin:v4``."""
    revision: NewRevision
    based_on: str | None = None
    change: str = ""
    """The idea that distinguishes it from `based_on`, or a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow(NewRevision):
    """A stored revision."""

    id: int
    bot_id: int
    number: int
    """1, 2, ... in the order in which they were first seen."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRow(NewBot):
    """A registered bot and its current revision."""

    id: int
    revision: RevisionRow
    created_at: float
    retired_at: float | None

    @property
    def is_imported(self) -> bool:
        """Whether it was imported and never allowed to play here."""
        return self.retired_at == self.created_at

    @property
    def absence(self) -> str:
        """Why a retired bot cannot play, and what to do."""
        if self.revision.content_hash == HUMAN:
            return f"{self.name} stands for people and has no program: choose another bot"
        return f"{self.name} is retired: `ladder bots unretire {self.name}` lets it play again"
