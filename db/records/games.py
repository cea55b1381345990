"""Records of finished games, and queries for them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, cast

import msgspec
from msgspec import Meta

from engine.result import Result, Termination

COUNT_LIMIT = 1 << 53
Count = Annotated[int, Meta(ge=0, lt=COUNT_LIMIT)]
"""A count that JSON, the database and a float hold exactly."""


class SideSums(msgspec.Struct, forbid_unknown_fields=True, array_like=True):
    """Sums over one side's moves in one game; in JSON an array of these five numbers."""

    moves: Count = 0
    time_us: Count = 0
    """Wall time of all moves, measured by the harness."""
    max_us: Count = 0
    """Wall time of the longest move."""
    simulations: Count = 0
    """Simulations, or nodes for players that count those; 0 if the bot reports none."""
    searched_us: Count = 0
    """Wall time of the moves for which simulations or nodes were reported."""


STDERR_LIMIT = 4000
"""Characters of a failing bot's stderr to keep."""
MESSAGES_KEPT = 8
"""Number of protocol messages with a failing bot to keep."""
MESSAGE_LIMIT = 800
"""Characters to keep of each message."""


Proven = Literal["win", "loss", "draw"]
"""A result that a bot claims to have proven, for the side to move."""


class Thought(msgspec.Struct):
    """One move's times and what the bot reported about it (`bots.player.Info`)."""

    time_us: int
    value: float | None = None
    """From -1 to 1, for the mover."""
    simulations: int | None = None
    """Simulations; in games stored before version 0.2 perhaps nodes."""
    depth: int | None = None
    proven: Proven | None = None
    cpu_us: int | None = None
    """Processor time during the move, of the processes that the bot had when the game began; None
    if not measured."""
    line: str = ""
    """Columns that the bot expected after its move, one character each; may be empty."""
    nodes: int | None = None
    distance: int | None = None
    """Plies to the end of the game by the proof."""

    @property
    def work(self) -> int | None:
        """Simulations, or nodes if the bot reported no simulations."""
        return self.nodes if self.simulations is None else self.simulations

    @property
    def claim(self) -> str | None:
        """The proven result as text, with its distance if known, such as ``win 5``."""
        known = self.proven is not None and self.distance is not None
        return f"{self.proven} {self.distance}" if known else self.proven


_CLAIM = re.compile(r"(win|loss|draw)(?: (-?[0-9]{1,20}))?")
_PROOF = re.compile(r"(win|loss|draw) ([1-9][0-9]{0,2})")
_LINE = re.compile(r"[0-9ab]*")


def parse_claim(text: str | None) -> tuple[Proven | None, int | None]:
    """Return result and distance of a claim such as ``win 5``, or (None, None) for None.

    Raises:
        ValueError: the text has another form.

    """
    if text is None:
        return None, None
    parts = _CLAIM.fullmatch(text)
    if parts is None:
        raise ValueError(
            f"a claim is win, loss or draw and perhaps a number of plies, got {text!r}"
        )
    return cast("Proven", parts[1]), None if parts[2] is None else int(parts[2])


def find_thought_fault(thought: Thought) -> str | None:
    """Return what is wrong with a thought, or None."""
    if not (0 <= thought.time_us < COUNT_LIMIT and 0 <= (thought.cpu_us or 0) < COUNT_LIMIT):
        return f"times of a thought must be between 0 and {COUNT_LIMIT} us"
    if not _LINE.fullmatch(thought.line):
        return f"an expected line consists of the columns 0 to 9, a, b, got {thought.line!r}"
    return None


class LastOutput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The last output of a failing bot and the last messages to it, for its author."""

    stderr: Annotated[str, Meta(max_length=STDERR_LIMIT)] = ""
    """The end of its stderr."""
    messages: tuple[Annotated[str, Meta(max_length=MESSAGE_LIMIT + 100)], ...] = ()
    """The last protocol messages, oldest first and shortened: ``> `` precedes the ladder's, ``< ``
    the bot's."""


LINE_PLIES = 10
"""Number of plies to keep of an expected line."""


class GameRecord(msgspec.Struct, frozen=True):
    """One finished game."""

    swapped: bool
    """Whether B moved first."""
    moves: tuple[int, ...]
    """All columns, including the opening."""
    result: Result
    """Result for the first player."""
    termination: Termination
    sides: tuple[SideSums, SideSums]
    """Sums of the first and of the second player."""
    thoughts: bytes
    """One thought per move after the opening, and one for an illegal move; packed by
    `db.records.thought_blob` in the worker, so that the coordinator does not have to."""
    started: float
    """Seconds since the epoch."""
    duration_us: int
    detail: str = ""
    """What happened, for the bot's author, if the game was forfeited; the text of the `Proof` of
    an adjudicated game."""
    last_output: LastOutput | None = None
    """Last output of the bot that forfeited."""


class Proof(msgspec.Struct, frozen=True):
    """The proven end of an adjudicated game."""

    value: Result
    """Result for the first player under best play."""
    distance: int
    """Plies to the end under best play; for a draw, those that fill the board."""

    @property
    def text(self) -> str:
        """The proof as it is stored, such as ``win 5``."""
        return f"{self.value} {self.distance}"

    @classmethod
    def of(cls, termination: Termination, detail: str) -> "Proof | None":
        """Return the proof of a stored game; None if it was not adjudicated."""
        found = _PROOF.fullmatch(detail) if termination is Termination.ADJUDICATED else None
        return None if found is None else cls(Result(found[1]), int(found[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRow:
    """A finished game."""

    board: str
    seed: int
    moves: tuple[int, ...]
    """All columns, including the opening."""
    result: Result
    """Result for the first player."""
    termination: Termination
    detail: str
    """What happened, if the game was forfeited; the text of the `proof` of an adjudicated game."""
    started_at: float
    """Seconds since the epoch."""
    duration_us: int
    thoughts: tuple[Thought, ...]
    """One per move after the opening, and one for an illegal move; a person's has only a time.
    Empty if the query did not ask for them."""
    id: int
    pair_id: int
    run_id: int
    division_id: int
    rated: bool
    game: int
    """0 if the pair's A moved first, 1 if its B did."""
    first_revision: int
    second_revision: int
    first: str
    """Name of the bot that moved first."""
    second: str
    board_class: str
    opening_plies: int
    offender: int | None
    """The player that forfeited: 0 for the first, 1 for the second; None without forfeit."""
    sides: tuple[SideSums, SideSums]
    """Sums of the first and of the second player."""
    last_output: LastOutput | None = None
    """Last output of the bot that forfeited; `Games.stream` leaves it out."""
    left_us: tuple[int, ...] = ()
    """What was left of the mover's clock or overage after each move in `thoughts`; empty if the
    bots had neither. `Games.stream` leaves it out."""

    @property
    def proof(self) -> Proof | None:
        """The proof of an adjudicated game; None for other games."""
        return Proof.of(self.termination, self.detail)

    @property
    def plies(self) -> int:
        """Number of plies, including the opening."""
        return len(self.moves)

    @property
    def winner(self) -> str | None:
        """Name of the winner; None for a draw."""
        return {Result.WIN: self.first, Result.LOSS: self.second}.get(self.result)

    @property
    def loser_revision(self) -> int | None:
        """Revision of the loser; None for a draw."""
        sides = {Result.WIN: self.second_revision, Result.LOSS: self.first_revision}
        return sides.get(self.result)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameQuery:
    """Conditions on games of bots, joined by *and*; None means any."""

    bot: str | None = None
    """Name of a bot that played."""
    opponent: str | None = None
    """Name of the other bot; needs `bot`."""
    result: Result | None = None
    """Result for `bot`, or for the first player without `bot`."""
    forfeit: bool = False
    """Whether to find only forfeited games."""
    since: float | None = None
    """Earliest start in seconds since the epoch."""
    run_id: int | None = None
    division_id: int | None = None
    rated: bool | None = None
    won_by: Mapping[int, frozenset[tuple[int, int]]] | None = None
    """Pairs of winner's and loser's revision, by division."""
    among: frozenset[int] | None = None
    """Both players must be among these revisions."""
    including: frozenset[int] | None = None
    """At least one player must be among these revisions."""
    before: int | None = None
    """Find only ids below this."""
    moved_first: bool | None = None
    """Whether `bot` moved first; needs `bot`."""
    bots: tuple[str, ...] = ()
    """At least one player must be among these, unless it is empty."""
    board: str | None = None
    """A board, or the class that boards were drawn from."""
    termination: Termination | None = None
    shortest: int | None = None
    """Minimum number of plies, including the opening."""
    longest: int | None = None
    """Maximum number of plies, including the opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPlay:
    """A finished game of a person against a bot, to be stored."""

    revision: int
    """The bot's revision."""
    bot_side: int
    """0 if the bot moved first, else 1."""
    budget: Mapping[str, int]
    """The bot's budget per move, such as ``{"time_ms": 100}``."""
    board: str
    opening_plies: int
    """Moves before the game began."""
    seed: int
    game: GameRecord
