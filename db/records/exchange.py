"""Games on their way out of one database and into another.

A `GameLine` holds all of a game, so that a file of them can be cut and joined. What describes bots
and runs at length is told once, in the line that needs it first. The bounds of each field are part
of its type, so that a line that was decoded is within them; what two fields say of each other is
held against the rules by `ladder.results.exchange.rules`.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from bots.budget import KIND_OF_FIELD
from db.errors import DatabaseError
from db.records.budget import OF_BOT
from db.records.games import LastOutput, Thought, parse_claim
from db.records.launch import Launch
from db.records.runs import RunKind
from db.records.sides import COUNT_LIMIT, Count, SideSums
from engine.board import MAX_SIDE
from engine.result import Result, Termination
from engine.seeds import SEED_LIMIT

Seed = Annotated[int, Meta(ge=0, lt=SEED_LIMIT)]
BUDGET_KEY = rf"\A({'|'.join(KIND_OF_FIELD)})({OF_BOT}[A-Za-z0-9._@+-]{{1,100}})?\Z"
Plies = Annotated[int, Meta(ge=0, le=MAX_SIDE**2)]
COLUMN_LIMIT = 1 << 31
"""Of numbers that PostgreSQL keeps in 32 bits."""
Positive = Annotated[int, Meta(gt=0, lt=COUNT_LIMIT)]
Small = Annotated[int, Meta(ge=0, lt=COLUMN_LIMIT)]
Key = Annotated[str, Meta(min_length=1, max_length=200)]
"""A hash or a number that identifies something, as text."""
YEAR_9999 = 253_370_764_800.0
"""Seconds since the epoch, after which no date can be written."""


class ConditionsLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A division."""

    boards: str
    opening_plies: Plies | None
    budget: Annotated[
        dict[
            Annotated[
                str,
                Meta(pattern=BUDGET_KEY),
            ],
            Positive,
        ],
        Meta(min_length=1),
    ]
    openings: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")] | None = None
    """The hash of a set of openings; None: they were drawn at random."""


class OpeningsLine(msgspec.Struct, forbid_unknown_fields=True):
    """A set of openings, for a database that has never seen it."""

    name: str
    """Of the file that it was read from."""
    text: str
    """One opening a line, sorted."""


class BotLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One revision of a bot, for a database that has never seen it."""

    name: str
    family: str
    spec: str
    based_on: str | None
    change: str
    content_hash: Key
    launch: Launch
    """How its own database starts it; an import keeps it without its commands."""
    budgets: tuple[str, ...]
    boards: tuple[str, ...] | None
    files: dict[str, str]
    recency: Count | None = None
    """Place among the bot's revisions in the file, the current one having the greatest. None: the
    revision of its latest game is the current one, and so on back."""


class Introduction(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Bots, settings and openings that a line is the first to need."""

    bots: list[BotLine] = []
    settings: dict[str, Any] | None = None
    """Of the run."""
    openings: OpeningsLine | None = None
    """Those of its division."""


class MoveTiming(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """A `db.records.games.Thought`, except for what `Timing` lists beside it."""

    time_us: int
    value: float | None = None
    work: int | None = None
    """Simulations, or nodes where the bot reported no simulations."""
    depth: int | None = None
    claim: str | None = None
    """A proven result and its distance in plies, such as ``win 5``."""
    cpu_us: int | None = None

    @classmethod
    def of(cls, thought: Thought) -> "MoveTiming":
        """Return a move as it is exported."""
        return cls(
            thought.time_us,
            thought.value,
            thought.work,
            thought.depth,
            thought.claim,
            thought.cpu_us,
        )

    def thought(self, line: str = "", nodes: int | None = None) -> Thought:
        """Return the move as it is stored.

        Raises:
            ValueError: the claim is not a result and a distance.

        """
        proven, distance = parse_claim(self.claim)
        work = None if self.work == nodes else self.work
        cpu_us = self.cpu_us
        return Thought(
            self.time_us, self.value, work, self.depth, proven, cpu_us, line, nodes, distance
        )


class Timing(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that depends on the clock."""

    stored: Count = 0
    """The game's place in the order of storing, in which live ratings move."""
    started: Annotated[float, Meta(ge=0, lt=YEAR_9999)] = 0.0
    """Seconds since the epoch."""
    duration_us: Count = 0
    aborts: Small = 0
    detail: str = ""
    sides: tuple[SideSums, SideSums] = (SideSums(), SideSums())
    thoughts: tuple[MoveTiming, ...] = ()
    lines: tuple[Annotated[str, Meta(pattern=r"\A[0-9ab]*\Z")], ...] = ()
    """The expected line of each thought; left out when none has any."""
    nodes: tuple[Count | None, ...] = ()
    """The nodes of each thought; left out when none has any."""
    last_words: LastOutput | None = None
    """Of a bot that forfeited; left out where none were kept."""
    id: Count = 0
    """The game's number in the database that it was exported from, which an import does not keep;
    0: left out."""

    def all_thoughts(self) -> list[Thought]:
        """Return the moves as they are stored.

        Raises:
            ValueError: a list beside the thoughts has another length, or a claim is no claim.

        """
        number = len(self.thoughts)
        lines, nodes = self.lines or ("",) * number, self.nodes or (None,) * number
        if not len(lines) == len(nodes) == number:
            raise ValueError("there must be as many expected lines and nodes as thoughts, or none")
        moves = zip(self.thoughts, lines, nodes, strict=True)
        return [move.thought(line, count) for move, line, count in moves]


class GameLine(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """One game."""

    pair: Small
    """The number of its pair in the run's stream."""
    game: Literal[0, 1]
    kind: RunKind
    first: str
    second: str
    board: str
    seed: Seed
    moves: str
    """The opening included."""
    result: Result
    """From the first player's side."""
    termination: Termination
    opening_plies: Plies
    board_class: str
    first_hash: Key
    """The content hash of the first player's revision."""
    second_hash: Key
    run: Count
    """Number of the run among those of one export, from 1."""
    rated: bool
    run_seed: Seed
    stream: Key
    identity: Key
    division: ConditionsLine
    introduces: Introduction | None = None
    timing: Timing = msgspec.field(default_factory=Timing)


class Imported(msgspec.Struct, frozen=True):
    """The outcome of an import."""

    games: int
    """Games that were stored."""
    skipped: int
    """Games that were here already, equal in all that the file says of them."""


class NotImportable(DatabaseError):
    """A pair that cannot be stored here.

    Attributes:
        place: the index of the pair.
        game: 0 or 1, the game of the pair to which the message refers.

    """

    def __init__(self, place: int, why: str, *, game: int = 0) -> None:
        self.place = place
        self.game = game
        super().__init__(why)
