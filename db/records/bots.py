"""Bots and their revisions, on their way into the store and out of it.

Times are seconds since the epoch, durations microseconds, results from the side that is named.
Importing this module loads no database code.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from db.records.launch import Launch

# Bots.


def remedy_for(
    name: str, known: Iterable[str], otherwise: str = "`ladder bots list` shows them"
) -> str:
    """Return what to do about a name that no bot has: similar names, or the command for all."""
    near = difflib.get_close_matches(name, list(known))
    return f"did you mean {' or '.join(near)}?" if near else otherwise


@dataclass(frozen=True, slots=True)
class NewRevision:
    """A bot's content now, to be stored as a revision."""

    content_hash: str
    """Two revisions with the same hash are the same player."""
    launch: Launch
    budgets: tuple[str, ...]
    """In order of preference, as its hello lists them."""
    boards: tuple[str, ...] | None = None
    """Those that its hello lists; None: all."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The ingredients under the hash: a name (a path, an option) and its own hash or value."""


@dataclass(frozen=True, slots=True)
class NewBot:
    """A bot to be registered, with its first revision."""

    name: str
    family: str
    spec: str
    """The specification with which it was registered, such as ``builtin:v4``."""
    revision: NewRevision
    based_on: str | None = None
    change: str = ""
    """The one idea that makes it differ, or a note."""


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """One state of a bot's content."""

    id: int
    bot_id: int
    number: int
    """1, 2, ... in the order in which they were first seen."""
    content_hash: str
    launch: Launch
    budgets: tuple[str, ...]
    boards: tuple[str, ...] | None
    files: Mapping[str, str]
    created_at: float


@dataclass(frozen=True, slots=True)
class BotRow:
    """A registered bot and its current revision."""

    id: int
    name: str
    family: str
    spec: str
    based_on: str | None
    change: str
    created_at: float
    retired_at: float | None
    revision: RevisionRow
