"""Records of finished games: played, stored, looked for, and those of people."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, cast

import msgspec
from msgspec import Meta

from db.records.sides import COUNT_LIMIT, SideSums
from engine.result import Result, Termination

STDERR_LIMIT = 4000
"""Characters of a failing bot's stderr that are kept."""
MESSAGES_KEPT = 8
"""How many messages with a failing bot are kept."""
MESSAGE_LIMIT = 800
"""Characters that are kept of each."""


Proven = Literal["win", "loss", "draw"]
"""A result that a bot has proven, for the side that moves."""


class Thought(msgspec.Struct):
    """The record of one move: its times, and what the bot reported (`bots.player.Info`)."""

    time_us: int
    value: float | None = None
    """-1..1 for the mover."""
    simulations: int | None = None
    """In games stored by versions before 0.2: simulations or nodes."""
    depth: int | None = None
    proven: Proven | None = None
    cpu_us: int | None = None
    """Processor time while it was asked, of all threads of the processes that it had when the game
    began; None: not measured."""
    line: str = ""
    """The columns that the bot expected after its move, one character each; empty: none told."""
    nodes: int | None = None
    distance: int | None = None
    """Plies to the proven result."""

    @property
    def work(self) -> int | None:
        """Simulations, or nodes where the bot reported no simulations."""
        return self.nodes if self.simulations is None else self.simulations

    @property
    def claim(self) -> str | None:
        """The proven result for people and files, with its distance where known: ``win 5``."""
        known = self.proven is not None and self.distance is not None
        return f"{self.proven} {self.distance}" if known else self.proven


_CLAIM = re.compile(r"(win|loss|draw)(?: (-?[0-9]{1,20}))?")
_LINE = re.compile(r"[0-9ab]*")


def parse_claim(text: str | None) -> tuple[Proven | None, int | None]:
    """Return the result and the distance of a claim in a file or a game stored before 0.2.

    Raises:
        ValueError: it is not such a text.

    """
    if text is None:
        return None, None
    parts = _CLAIM.fullmatch(text)
    if parts is None:
        raise ValueError(f"proven is win, loss or draw and a distance in plies, got {text!r}")
    return cast("Proven", parts[1]), None if parts[2] is None else int(parts[2])


def find_thought_fault(thought: Thought) -> str | None:
    """Return what is wrong with the record of one move."""
    if not (0 <= thought.time_us < COUNT_LIMIT and 0 <= (thought.cpu_us or 0) < COUNT_LIMIT):
        return "the times of a thought must not be negative, nor too great to be stored"
    if not _LINE.fullmatch(thought.line):
        return f"an expected line is columns 0..9, a, b, got {thought.line!r}"
    return None


class LastOutput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The end of what a failing bot wrote and was told, for its author."""

    stderr: Annotated[str, Meta(max_length=STDERR_LIMIT)] = ""
    """The end of its stderr."""
    messages: tuple[Annotated[str, Meta(max_length=MESSAGE_LIMIT + 100)], ...] = ()
    """The last messages of the protocol, oldest first: behind ``> `` the ladder's, behind ``< ``
    the bot's; each cut where it is long."""


LINE_PLIES = 10
"""How many plies of an expected line are kept."""


class GameRecord(msgspec.Struct, frozen=True):
    """One finished game."""

    swapped: bool
    """False when A moved first."""
    moves: tuple[int, ...]
    """All columns, the opening included."""
    result: Result
    """From the first player's side."""
    termination: Termination
    sides: tuple[SideSums, SideSums]
    """The first player's and the second's."""
    thoughts: bytes
    """One per move after the opening, packed by `db.records.thought_blob`: whoever plays packs
    them, so that the coordinator need not look at each."""
    started: float
    """Seconds since the epoch."""
    duration_us: int
    detail: str = ""
    """For a forfeit: what happened, for the bot's author."""
    last_output: LastOutput | None = None
    """Of a bot that forfeited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedGame:
    """The part that all finished games share, of two bots or of a person and a bot."""

    board: str
    seed: int
    moves: tuple[int, ...]
    """The opening included."""
    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str
    """For a forfeit: what happened."""
    started_at: float
    """Seconds since the epoch."""
    duration_us: int
    thoughts: tuple[Thought, ...]
    """One per move after the opening, a person's with the time alone; empty when the reader did
    not ask for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRow(FinishedGame):
    """A finished game of two bots."""

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
    board_class: str
    opening_plies: int
    offender: int | None
    """The player that forfeited: 0 the first, 1 the second, None nobody."""
    sides: tuple[SideSums, SideSums]
    """The first player's and the second's."""
    repeat: bool
    """Whether the same board and moves had been stored in the division before."""
    last_output: LastOutput | None = None
    """Of the bot that forfeited, where they were kept; None also in a stream of many games."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameQuery:
    """Conditions on games of bots; all of them hold for a game that is found."""

    bot: str | None = None
    """Name of a bot that played."""
    opponent: str | None = None
    """Name of the other bot; only with `bot`."""
    result: Result | None = None
    """From the side of `bot`; without `bot` from the first player's."""
    forfeit: bool = False
    """Whether one bot must have lost by failing."""
    since: float | None = None
    """Seconds since the epoch at which the game started, or later."""
    run_id: int | None = None
    division_id: int | None = None
    rated: bool | None = None
    won_by: Mapping[int, frozenset[tuple[int, int]]] | None = None
    """Revisions of winner and loser that are wanted, by division; None: all games."""
    before: int | None = None
    """Games of lower ids alone."""
    down_to: int | None = None
    """Games of this id and higher ones alone."""
    moved_first: bool | None = None
    """Whether `bot` moved first; only with `bot`."""
    board: str | None = None
    """A board, or the class that it was drawn from."""
    termination: Termination | None = None
    shortest: int | None = None
    """Plies, the opening included, that a game has at least."""
    longest: int | None = None
    """Plies that a game has at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowcaseQuery:
    """Which games of a division may be shown."""

    division: int
    current: frozenset[int]
    """Both bots played with one of these revisions."""
    shown: frozenset[int]
    """At least one of the bots did with one of these."""
    since: float = 0.0
    """Seconds since the epoch at which the game started, or later."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A finished game without its moves."""

    id: int
    run_id: int
    division_id: int
    first_revision: int
    second_revision: int
    first: str
    """Name of the bot that moved first."""
    second: str
    board: str
    result: Result
    """From the first player's side."""
    termination: Termination
    plies: int
    """The opening included."""
    started_at: float
    """Seconds since the epoch."""

    @property
    def winner(self) -> str | None:
        """Name of the bot that won; None for a draw."""
        return {Result.WIN: self.first, Result.LOSS: self.second}.get(self.result)

    @property
    def loser_revision(self) -> int | None:
        """Revision of the bot that lost; None for a draw."""
        sides = {Result.WIN: self.second_revision, Result.LOSS: self.first_revision}
        return sides.get(self.result)


@dataclass(frozen=True, slots=True)
class PliesTally:
    """How many rated games of a division are alike in players, result and length."""

    first_revision: int
    second_revision: int
    result: Result
    """From the first player's side."""
    plies: int
    games: int


PERSON = "person"
"""The name of a person in a saved game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewHumanGame(FinishedGame):
    """A finished game of a person against a bot."""

    revision: int
    """Of the bot."""
    bot_side: int
    """0: the bot moved first."""
    budget: Mapping[str, int]
    """Of the bot for one move, such as ``{"time_ms": 100}``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanGameRow(FinishedGame):
    """A stored game of a person."""

    key: int
    bot: str
    """The bot's name."""
    bot_side: int
    """0: the bot moved first."""
    budget: Mapping[str, int]
    """Of the bot for one move."""

    @property
    def id(self) -> str:
        """The number that people write: ``p3``; games of pairs have bare numbers."""
        return f"p{self.key}"

    @property
    def first(self) -> str:
        """The name of the side that moved first."""
        return PERSON if self.bot_side else self.bot

    @property
    def second(self) -> str:
        """The name of the side that moved second."""
        return self.bot if self.bot_side else PERSON

    @property
    def opening_plies(self) -> int:
        """No ply of such a game was drawn at random."""
        return 0
