"""Games on their way out of one database and into another.

A `GameLine` holds all of a game, so that a file of them can be cut and joined. What describes bots
and runs at length is told once, in the line that needs it first.
"""

from typing import Any

import msgspec

from db.errors import DatabaseError
from db.records.games import Thought
from db.records.launch import Launch


class Conditions(msgspec.Struct, forbid_unknown_fields=True):
    """A division."""

    boards: str
    opening_plies: int | None
    budget: dict[str, int]


class BotLine(msgspec.Struct, forbid_unknown_fields=True):
    """One revision of a bot, as a database needs it that has never seen it."""

    name: str
    family: str
    spec: str
    based_on: str | None
    change: str
    content_hash: str
    launch: Launch
    budgets: tuple[str, ...]
    boards: tuple[str, ...] | None
    files: dict[str, str]


class Introduction(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a line is the first to need."""

    bots: list[BotLine] = []
    settings: dict[str, Any] | None = None
    """Of the run."""


class SideTiming(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """Sums over one side's moves."""

    moves: int = 0
    time_us: int = 0
    max_us: int = 0
    simulations: int = 0
    searched_us: int = 0


class Timing(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Whatever depends on the clock."""

    stored: int = 0
    """The game's place in the order of storing, in which live ratings move."""
    started: float = 0.0
    """Seconds since the epoch."""
    duration_us: int = 0
    aborts: int = 0
    detail: str = ""
    sides: tuple[SideTiming, SideTiming] = (SideTiming(), SideTiming())
    thoughts: tuple[Thought, ...] = ()


class GameLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """One game."""

    pair: int
    """The number of its pair in the run's stream."""
    game: int
    """0 or 1."""
    kind: str
    """Of the run: ladder, match, gate or play."""
    first: str
    second: str
    board: str
    seed: int
    moves: str
    """The opening included."""
    result: str
    """win, loss or draw for the first player."""
    termination: str
    opening_plies: int
    board_class: str
    first_hash: str
    """The content hash of the first player's revision."""
    second_hash: str
    run: int
    """Number of the run among those of one export, from 1."""
    rated: bool
    run_seed: int
    stream: str
    identity: str
    division: Conditions
    introduces: Introduction | None = None
    timing: Timing = msgspec.field(default_factory=Timing)


class NotImportable(DatabaseError):
    """Lines that do not fit this database; `place` is the index of the first such line."""

    def __init__(self, place: int, why: str) -> None:
        self.place = place
        super().__init__(why)
