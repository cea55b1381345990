"""What the store takes and gives: frozen records without any database object in them.

Times are seconds since the epoch, durations microseconds, results from the side that is named.
Importing this module loads no database code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from db.records import Launch, Thought
from engine.result import FORFEITS, Result, Termination


class RunKind(StrEnum):
    """What a run was started as."""

    LADDER = "ladder"
    MATCH = "match"
    GATE = "gate"
    PLAY = "play"


class RunStatus(StrEnum):
    """How far a run has come. A `running` one whose lock is free has died."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
    INVALID = "invalid"


class PairStatus(StrEnum):
    """How far a pair has come."""

    PLANNED = "planned"
    FINISHED = "finished"
    DROPPED = "dropped"


# Bots.


@dataclass(frozen=True, slots=True)
class NewRevision:
    """What a bot is made of now."""

    content_hash: str
    """Two revisions with the same hash are the same player."""
    launch: Launch
    budgets: tuple[str, ...]
    """In order of preference, as its hello lists them."""
    boards: tuple[str, ...] | None = None
    """As its hello lists them; None: all."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What the hash was taken over: a name (a path, an option) and its own hash or value."""


@dataclass(frozen=True, slots=True)
class NewBot:
    """A bot to be registered, with its first revision."""

    name: str
    family: str
    spec: str
    """As it was registered, such as ``builtin:v4``."""
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


# Conditions and runs.


@dataclass(frozen=True, slots=True)
class DivisionRow:
    """The conditions under which games can be compared."""

    id: int
    label: str
    """Short and unique, such as ``6x7+4/100ms``."""
    boards: str
    """The canonical list of board classes."""
    opening_plies: int | None
    """None: each board class has its own default."""
    budget: Mapping[str, int]
    """Such as ``{"time_ms": 100}``; each bot gets the first kind that it supports."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be started."""

    kind: RunKind
    rated: bool
    stream: str
    """Hash of what identifies the run, seed included: such runs continue each other."""
    identity: str
    """The same hash without the seed."""
    settings: Mapping[str, Any]
    """All that identifies the run, bots with their content hashes included; JSON values only."""
    seed: int
    division_id: int
    target_games: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is stored."""

    id: int
    kind: RunKind
    rated: bool
    stream: str
    identity: str
    settings: Mapping[str, Any]
    seed: int
    division_id: int
    target_games: int | None
    status: RunStatus
    started_at: float
    ended_at: float | None
    note: str


# Pairs and games.


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair as the schedule wants it; the store adds its key and its number."""

    a_revision: int
    """Moves first in game 0."""
    b_revision: int
    board: str
    """As `engine.board.parse_board` reads it."""
    board_class: str
    opening: tuple[int, ...]
    seed: int
    """Below 2**53."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair as it is stored."""

    id: int
    run_id: int
    stream: str
    number: int
    """The pair's place in its stream, from 0."""
    a_revision: int
    b_revision: int
    board: str
    board_class: str
    opening: tuple[int, ...]
    seed: int
    status: PairStatus
    aborts: int
    """How often a game of it was abandoned because the machine stalled."""
    finished_at: float | None


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """A finished pair as results alone."""

    number: int
    a_revision: int
    """Moved first in game 0."""
    b_revision: int
    board_class: str
    results: tuple[Result, Result]
    """A's results in game 0 and game 1."""
    terminations: tuple[Termination, Termination]

    @property
    def mirrored(self) -> "PlayedPair":
        """The same pair from B's side: B becomes A, and the games keep their order."""
        first, second = self.results
        return PlayedPair(
            self.number,
            self.b_revision,
            self.a_revision,
            self.board_class,
            (first.mirrored, second.mirrored),
            self.terminations,
        )


@dataclass(frozen=True, slots=True)
class SideSums:
    """Sums over one side's moves in one game."""

    moves: int
    time_us: int
    max_us: int
    simulations: int
    searched_us: int
    """Time of those moves that reported simulations."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A finished game."""

    id: int
    pair_id: int
    run_id: int
    division_id: int
    rated: bool
    game: int
    """0: the pair's A moved first; 1: its B did."""
    first_revision: int
    second_revision: int
    first: str
    """Name of the bot that moved first."""
    second: str
    board: str
    board_class: str
    moves: tuple[int, ...]
    """The opening included."""
    opening_plies: int
    seed: int
    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str
    offender: int | None
    """Who forfeited: 0 the first player, 1 the second, None nobody."""
    started_at: float
    duration_us: int
    sides: tuple[SideSums, SideSums]
    """The first player's and the second's."""
    repeat: bool
    """Whether the same board and moves had been stored in the division before."""
    thoughts: tuple[Thought, ...]
    """One per move after the opening; empty when the reader did not ask for them."""


# Derived tables.


@dataclass(frozen=True, slots=True)
class SideTotals:
    """Sums over one bot's moves and failures against one opponent."""

    moves: int = 0
    time_us: int = 0
    max_us: int = 0
    simulations: int = 0
    searched_us: int = 0
    """Time of those moves that reported simulations."""
    timeout: int = 0
    crash: int = 0
    illegal_move: int = 0
    protocol_error: int = 0
    memory: int = 0

    @property
    def forfeits(self) -> dict[str, int]:
        """Games lost by failing, by termination, in the order in which reports list them."""
        return {reason.value: getattr(self, reason.value) for reason in FORFEITS}


@dataclass(frozen=True, slots=True)
class PairTableRow:
    """All finished pairs of two revisions on one board class, from A's view; A's id is lower."""

    division_id: int
    board_class: str
    a_revision: int
    b_revision: int
    a_name: str
    b_name: str
    counts: tuple[int, ...]
    """Nine numbers: pairs by ``3 * (A's result moving first) + (A's result moving second)``.

    A result is 0 for a loss, 1 for a draw, 2 for a win.
    """
    a: SideTotals
    b: SideTotals
    plies: int
    """Sum over all games, openings included."""
    repeats: int
    """Games whose board and moves had been stored in the division before."""

    @property
    def pairs(self) -> int:
        """How many pairs."""
        return sum(self.counts)

    @property
    def wdl(self) -> tuple[int, int, int]:
        """Games that A won, drew and lost."""
        grid = self.counts
        tally = [sum(grid[3 * r : 3 * r + 3]) + sum(grid[r::3]) for r in range(3)]
        return tally[2], tally[1], tally[0]

    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs by A's points: 0, 1/2, 1, 3/2, 2."""
        ll, ld, lw, dl, dd, dw, wl, wd, ww = self.counts
        return ll, ld + dl, lw + dd + wl, dw + wd, ww


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A live rating; a revision that has no rated game yet is 1000 with 0 games."""

    division_id: int
    revision: int
    elo: float
    games: int


class PairOutcome(StrEnum):
    """What became of a pair that was handed in."""

    STORED = "stored"
    ALREADY_FINISHED = "already_finished"
    DROPPED = "dropped"
    UNKNOWN = "unknown"
    """No pair of that key was ever planned here."""


@dataclass(frozen=True, slots=True)
class FinishedPair:
    """The answer to handing in a pair."""

    outcome: PairOutcome
    game_ids: tuple[int, ...] = ()
    """Of the two games; empty unless stored."""
    a: RatingRow | None = None
    """The new live rating of the pair's A; None when unrated or not stored."""
    b: RatingRow | None = None
    repeats: int = 0
    """How many of the two games had been stored in the division before."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One derived value that did not agree with the games."""

    table: str
    key: tuple[int | str, ...]
    column: str
    stored: float | None
    """None: the row was missing."""
    computed: float | None
    """None: the row should not have been there."""
