"""Exported games: the objects of a JSON Lines file.

A `GameLine` holds a whole game; long descriptions of bots and runs stand only in the line that
needs them first. Each field's type holds its bounds, so decoding checks them. Rules between fields
are checked by `ladder.results.exchange.importing` and `db.invariants`.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from bots.budget import BudgetKind
from db.errors import DatabaseError
from db.records import thought_blob
from db.records.games import Count, GameRecord, LastOutput, Proof, SideSums, Thought, parse_claim
from db.records.launch import Launch
from db.records.rules import Plies
from db.records.runs import Conditions, RunKind
from engine.position import parse_moves
from engine.result import Result, Termination
from engine.seeds import SEED_LIMIT

Seed = Annotated[int, Meta(ge=0, lt=SEED_LIMIT)]
COLUMN_LIMIT = 1 << 31
"""Limit of numbers in 32-bit columns of PostgreSQL."""
ColumnInt = Annotated[int, Meta(ge=0, lt=COLUMN_LIMIT)]
LONGEST_NAME = 100
"""Most characters of a bot's name."""
HASH_SHOWN = 8
"""Digits of a content hash in a name."""
Identifier = Annotated[str, Meta(min_length=1, max_length=200)]
"""A hash or a number that identifies something, as text."""
YEAR_9999 = 253_370_764_800.0
"""Start of the year 9999 (UTC): a limit that leaves a year's reserve below Python's last date."""


class OpeningsLine(msgspec.Struct, forbid_unknown_fields=True):
    """A set of openings, for a database that lacks it."""

    name: str
    """Name of the file that it was read from."""
    text: str
    """Sorted openings, one per line."""


class BotLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One revision of a bot, for a database that lacks it."""

    name: str
    family: str
    spec: str
    based_on: str | None
    change: str
    content_hash: Identifier
    launch: Launch
    """How the exporting database starts it; an import strips the commands."""
    budgets: tuple[BudgetKind, ...]
    boards: tuple[str, ...] | None
    files: dict[str, str]


class Introduction(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Bots, settings and openings that no earlier line needed."""

    bots: list[BotLine] = []
    settings: dict[str, Any] | None = None
    """Settings of the run."""
    openings: OpeningsLine | None = None
    """Openings of the division."""


class MoveTiming(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """A `db.records.games.Thought` without its `line` and `nodes`, which `Timing` holds."""

    time_us: int
    value: float | None = None
    work: int | None = None
    """Simulations, or nodes if the bot reported no simulations."""
    depth: int | None = None
    claim: str | None = None
    """A proven result and its distance in plies, such as ``win 5``."""
    cpu_us: int | None = None

    @classmethod
    def of(cls, thought: Thought) -> "MoveTiming":
        """Return a thought in exported form."""
        return cls(*(getattr(thought, name) for name in cls.__struct_fields__))

    def thought(self, line: str = "", nodes: int | None = None) -> Thought:
        """Return the stored form of the thought.

        Raises:
            ValueError: the claim is not a result with an optional distance.

        """
        proven, distance = parse_claim(self.claim)
        work = None if self.work == nodes else self.work
        cpu_us = self.cpu_us
        return Thought(
            self.time_us, self.value, work, self.depth, proven, cpu_us, line, nodes, distance
        )


class ResultLine(msgspec.Struct, forbid_unknown_fields=True):
    """What a run keeps of its end (`db.records.results`)."""

    bots: list[tuple[str, Identifier]]
    """Name and content hash of each bot that it refers to, by its place here."""
    facts: dict[str, Any]


class Timing(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Everything about a game that depends on the clock."""

    stored: Count = 0
    """Position in the order of storing, from 1; 0 if the line has no timing."""
    started: Annotated[float, Meta(ge=0, lt=YEAR_9999)] = 0.0
    """Seconds since the epoch."""
    duration_us: Count = 0
    stalls: ColumnInt = msgspec.field(name="aborts", default=0)
    detail: str = ""
    sides: tuple[SideSums, SideSums] = (SideSums(), SideSums())
    thoughts: tuple[MoveTiming, ...] = ()
    lines: tuple[Annotated[str, Meta(pattern=r"\A[0-9ab]*\Z")], ...] = ()
    """Expected line of each thought; empty if no thought has one."""
    nodes: tuple[Count | None, ...] = ()
    """Nodes of each thought; empty if no thought has any."""
    last_words: LastOutput | None = None
    """Last output of a bot that forfeited."""
    id: Count = 0
    """Number of the game in the exporting database, which an import ignores; 0 if not exported."""
    result: ResultLine | None = None
    """The result of the run, in its first game; None if it has none. It holds durations."""

    def all_thoughts(self) -> list[Thought]:
        """Return the stored form of all thoughts.

        Raises:
            ValueError: `lines` or `nodes` is of another length, or a claim is invalid.

        """
        number = len(self.thoughts)
        lines, nodes = self.lines or ("",) * number, self.nodes or (None,) * number
        if not len(lines) == len(nodes) == number:
            raise ValueError("lines and nodes must be empty or as many as thoughts")
        moves = zip(self.thoughts, lines, nodes, strict=True)
        return [move.thought(line, count) for move, line, count in moves]


class AdjudicationLine(Proof, forbid_unknown_fields=True, frozen=True):
    """The proven end of an adjudicated game."""

    ply: Plies
    """Number of plies played, including the opening."""


class SolvedLine(msgspec.Struct, forbid_unknown_fields=True, array_like=True, frozen=True):
    """A solved position of a game."""

    nodes: Count
    """Node limit of the search."""
    bounds: bytes
    """Packed by `ladder.results.analysis.verdict`."""


class AnalysisLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What `ladder analyze` found out about a game."""

    solver_version: ColumnInt
    nodes: Count
    """Node limit for each position."""
    moves: bytes
    """Verdicts on the moves after the opening, packed by `ladder.results.analysis.verdict`."""
    positions: tuple[SolvedLine | None, ...] = ()
    """The positions before these moves; None for those of earlier lines and unsolved ones."""


class GameLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """One game."""

    pair: ColumnInt
    """Number of its pair in the run's stream."""
    game: Literal[0, 1]
    kind: RunKind
    first: str
    second: str
    board: str
    seed: Seed
    moves: str
    """All columns, including the opening."""
    result: Result
    """Result for the first player."""
    termination: Termination
    opening_plies: Plies
    board_class: str
    first_hash: Identifier
    """Content hash of the first player's revision."""
    second_hash: Identifier
    run: Count
    """Number of the run within the export, from 1."""
    rated: bool
    run_seed: Seed
    stream: Identifier
    identity: Identifier
    division: Conditions
    """Its `exported` form."""
    adjudicated: AdjudicationLine | None = None
    introduces: Introduction | None = None
    analysis: AnalysisLine | None = None
    """None if the game was not analysed."""
    timing: Timing = msgspec.field(default_factory=Timing)

    def record(self) -> GameRecord:
        """Return the game as it is stored.

        Raises:
            ValueError: a move or thought is invalid.
            EngineError: a move is not a column.

        """
        timing = self.timing
        return GameRecord(
            swapped=self.game == 1,
            moves=parse_moves(self.moves),
            result=self.result,
            termination=self.termination,
            sides=timing.sides,
            thoughts=thought_blob.encode(timing.all_thoughts()),
            started=timing.started,
            duration_us=timing.duration_us,
            detail=self.adjudicated.text if self.adjudicated else timing.detail,
            last_output=timing.last_words,
        )


def name_with_hash(name: str, content_hash: str) -> str:
    """Return the name of a bot whose own name another bot has, such as ``mybot@1a2b3c4d``."""
    digits = "".join(letter for letter in content_hash if letter.isascii() and letter.isalnum())
    return f"{name[: LONGEST_NAME - HASH_SHOWN - 1]}@{digits[:HASH_SHOWN]}"


class Imported(msgspec.Struct, frozen=True):
    """The outcome of an import."""

    games: int
    """Games that were stored."""
    skipped: int
    """Games that the database already held, equal in bots, opening, moves, results and times."""
    names: dict[str, str] = {}
    """Names here of bots that the file calls otherwise."""


class NotImportable(DatabaseError):
    """A pair of a file that cannot be stored.

    Attributes:
        index: index of the pair in the import.
        game: 0 or 1, the game that the message is about.

    """

    def __init__(self, index: int, why: str, *, game: int = 0) -> None:
        self.index = index
        self.game = game
        super().__init__(why)
