"""Records of pairs: planned, sent to a worker, played, stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from bots.protocol import MARGIN_MS, WATCHDOG_S, Budget
from db.records.games import GameRecord
from db.records.launch import Restart, Start
from db.records.record import Record
from db.records.rules import GameRules
from engine.position import format_moves
from engine.result import Result, Termination


class Entrant(msgspec.Struct, frozen=True):
    """A registered bot as one side of a pair."""

    revision: int
    """Id of the bot's revision."""
    name: str
    start: Start
    budget: Budget
    player: str | None = None
    """The built-in player that its process becomes; None for other bots."""
    restart: Restart = Restart.NEVER
    values: tuple[tuple[str, str], ...] = ()
    """Values for ``{name}`` in the command of a bot that is being tuned. `start` contains them;
    another machine needs them to build its own."""
    knows_clock: bool = False
    """Whether it reads the remaining time; under a clock other bots are given a time per move."""

    def should_restart(self, *, pair_ended: bool) -> bool:
        """Return whether its process must be restarted after the game that has just ended."""
        return self.restart is Restart.GAME or (self.restart is Restart.PAIR and pair_ended)


class PlannedPair(NamedTuple):
    """A pair as a schedule draws it and the database stores it."""

    a_revision: int
    """Moves first in game 0."""
    b_revision: int
    board: str
    """In the notation of `engine.board.parse_board`."""
    board_class: str
    opening: tuple[int, ...]
    seed: int
    """Below 2**53."""
    number: int = 0
    """Position in its stream, from 0; set by the store."""
    id: int = 0
    """Id of the pair, from 1; set by the store."""


class PairPlan(msgspec.Struct, frozen=True):
    """A planned pair with all that a worker needs to play it."""

    pair: PlannedPair
    a: Entrant
    """Moves first in game 0."""
    b: Entrant
    """Moves first in game 1."""
    margin_ms: int = MARGIN_MS
    """Milliseconds that a move may be late under a time budget."""
    watchdog_s: float = WATCHDOG_S
    """Seconds that a move may take under a work budget."""
    rules: GameRules = GameRules()


class PairRecord(msgspec.Struct, frozen=True):
    """The outcome of playing a pair: two finished games, or an abort."""

    id: int
    """Id of the pair."""
    number: int
    games: tuple[GameRecord, ...]
    """The two games, that in which A moved first before the other; empty if aborted."""
    stalls: int = 0
    """Late moves that counted because the machine explains their delay, and times that the pair
    was played again because no answer came."""
    abort_reason: str = ""
    """Why the pair was aborted, such as a host stall; "" if it was finished."""
    failed_starts: tuple[int, ...] = ()
    """Revisions that could not be started, or did not answer `hello`."""
    unusable: dict[int, str] = {}
    """A value in moves that could not be used, such as ``info.value (NaN)``, by revision."""


class PairStatus(StrEnum):
    """The state of a pair."""

    PLANNED = "planned"
    FINISHED = "finished"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """A finished pair: its setup, results and moves."""

    number: int
    a_revision: int
    """Moved first in game 0."""
    b_revision: int
    board_class: str
    results: tuple[Result, Result]
    """A's results in game 0 and game 1."""
    terminations: tuple[Termination, Termination]
    setup: tuple[str, str, int]
    """Board, opening and seed. Pairs of the same bots with equal setups are repetitions."""
    content: int
    """`pair_content` of its games: equal for pairs of the same moves, whichever bot was A."""
    duration_us: int = 0
    """Duration of both games together."""

    @classmethod
    def of(cls, pair: PlannedPair, record: PairRecord) -> "PlayedPair":
        """Return the results of a pair from the record of its two games."""
        first, second = record.games
        return cls(
            number=pair.number,
            a_revision=pair.a_revision,
            b_revision=pair.b_revision,
            board_class=pair.board_class,
            results=(first.result, second.result.mirrored),
            terminations=(first.termination, second.termination),
            setup=(pair.board, format_moves(pair.opening), pair.seed),
            content=pair_content(
                pair.board,
                (format_moves(first.moves), format_moves(second.moves)),
                lower_first=pair.a_revision <= pair.b_revision,
            ),
            duration_us=first.duration_us + second.duration_us,
        )

    @property
    def record(self) -> Record:
        """The record of A against B; not of a mirrored pair, where A did not move first."""
        return Record.of_pair(*self.results)

    @property
    def forfeits(self) -> "Sequence[Forfeit]":
        """Its forfeited games."""
        return forfeits_of(self.results, self.terminations)

    @property
    def mirrored(self) -> "PlayedPair":
        """The pair with A and B exchanged; the games keep their order."""
        first, second = self.results
        return replace(
            self,
            a_revision=self.b_revision,
            b_revision=self.a_revision,
            results=(first.mirrored, second.mirrored),
        )


class Forfeit(NamedTuple):
    """A game of a pair that one bot forfeited."""

    game: int
    """0 or 1."""
    side: int
    """The bot that failed: 0 for A, 1 for B."""
    termination: Termination


def forfeits_of(
    results: tuple[Result, Result], terminations: tuple[Termination, Termination]
) -> Sequence[Forfeit]:
    """Return who failed in a finished pair, and how.

    Args:
        results: A's results in game 0 and game 1.
        terminations: how the games ended.

    """
    ends = zip(results, terminations, strict=True)
    return [
        Forfeit(game, side, termination)
        for game, (result, termination) in enumerate(ends)
        if (side := find_offender(result, termination)) is not None
    ]


def find_offender(result: Result, termination: Termination) -> int | None:
    """Return the side that forfeited a game: 0 for that of the result, 1 for the other."""
    if not termination.is_forfeit:
        return None
    return 0 if result is Result.LOSS else 1


def pair_content(board: str, moves: Sequence[str], *, lower_first: bool) -> int:
    """Return a signed 64-bit hash of a pair's board and moves, whichever bot was A.

    Args:
        board: the board.
        moves: the columns of game 0 and game 1, opening included, as `format_moves` writes them.
        lower_first: whether the lower revision moved first in game 0.

    """
    text = " ".join([board, *(moves if lower_first else reversed(moves))])
    return signed_hash(text)


def signed_hash(text: str) -> int:
    """Return a signed 64-bit hash of a text, for a column of 64 bits."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


StoredGames = tuple[int, ...] | None
"""Ids of the games of a pair that is stored; None if it was dropped, or another process has stored
it."""
