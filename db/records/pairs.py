"""Pairs: planned, sent to a worker, played, stored.

Times are seconds since the epoch, durations microseconds, results from the side that is named.
Importing this module loads no database code.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from bots.protocol import MARGIN_MS, WATCHDOG_S, Budget
from db.records.aggregate import RatingRow
from db.records.games import GameRecord
from db.records.launch import Start
from db.records.restart import Restart
from engine.result import Result, Termination


class Entrant(msgspec.Struct, frozen=True):
    """A registered bot as one side of a pair."""

    revision: int
    """Key of the bot's revision in the database."""
    name: str
    start: Start
    budget: Budget
    player: str | None = None
    """The built-in player that its process is to be; None for every other bot."""
    restart: Restart = Restart.NEVER
    values: tuple[tuple[str, str], ...] = ()
    """Values of the places ``{name}`` in the command of a bot that is being tuned. The start has
    them; another machine fills them in."""

    def should_restart(self, *, pair_ended: bool) -> bool:
        """Whether its process ends with the game that has just ended."""
        return self.restart is Restart.GAME or (self.restart is Restart.PAIR and pair_ended)


class Excuses(msgspec.Struct, frozen=True, array_like=True):
    """The late moves of a pair that were excused, beside the time in which there could be some."""

    moves: tuple[int, int] = (0, 0)
    """Excused late moves of A and of B, but for those that the host of a virtual machine caused."""
    asked_us: tuple[int, int] = (0, 0)
    """Time for which A and B were asked for moves under a time budget."""
    controls: int = 0
    """Controls after late moves that would have been late as well."""
    control_us: int = 0
    """Time that all controls took."""


class PairPlan(msgspec.Struct, frozen=True):
    """Two games to be played: the same board and opening, colours swapped."""

    id: int
    """Key of the pair in the database."""
    number: int
    """The pair's place in its stream, from 0."""
    a: Entrant
    """Moves first in game 0."""
    b: Entrant
    """Moves first in game 1."""
    board: str
    """In the notation of `engine.board.parse_board`."""
    board_class: str
    opening: tuple[int, ...]
    seed: int
    """Of both games, below 2**53."""
    margin_ms: int = MARGIN_MS
    """How late a move may be under a time budget."""
    watchdog_s: float = WATCHDOG_S
    """How long a move may take under a work budget."""
    unexcused: tuple[int, ...] = ()
    """Revisions of bots that alone have needed excuses: their late moves are charged."""

    def __reduce__(self) -> Any:
        """The way to a worker, in a quarter of a pickle's time."""
        return _packed(self, _plan) or super().__reduce__()


class PairRecord(msgspec.Struct, frozen=True):
    """A pair as it was played: either two finished games or an abort."""

    id: int
    """Of the plan."""
    number: int
    games: tuple[GameRecord, ...]
    """Two games, the one in which A moves first before the other; empty when aborted."""
    aborts: int = 0
    """How often a move was asked again, or the pair begun again, because the machine stalled."""
    abort_reason: str = ""
    """Why the pair could not be played to its end, or which files have changed; "" when it was."""
    failed_starts: tuple[int, ...] = ()
    """Revisions of bots that could not be started or did not shake hands in this pair."""
    changed: tuple[int, ...] = ()
    """Revisions of bots whose files are no longer what was registered; the pair has no games."""
    pondering: tuple[int, ...] = ()
    """Revisions of bots that were seen to compute on their opponents' time, now or before."""
    excuses: Excuses = Excuses()
    """The excused late moves among the aborts."""
    machine: int | None = None
    """Key of the machine of a cluster that played it; None: the coordinator's own."""

    def __reduce__(self) -> Any:
        """The way from a worker, in a quarter of a pickle's time."""
        return _packed(self, _record) or super().__reduce__()


_encoder = msgspec.msgpack.Encoder()
_plans = msgspec.msgpack.Decoder(PairPlan)
_records = msgspec.msgpack.Decoder(PairRecord)


def _packed(
    message: PairPlan | PairRecord, unpack: Callable[[bytes], object]
) -> tuple[Callable[[bytes], object], tuple[bytes]] | None:
    """A message as MessagePack for its pickle; None: a file name in it is no text."""
    try:
        return unpack, (_encoder.encode(message),)
    except UnicodeEncodeError:
        return None


def _plan(packed: bytes) -> PairPlan:
    return _plans.decode(packed)


def _record(packed: bytes) -> PairRecord:
    return _records.decode(packed)


class PairStatus(StrEnum):
    """The state of a pair."""

    PLANNED = "planned"
    FINISHED = "finished"
    DROPPED = "dropped"


# Pairs and games.


class PlannedPair(NamedTuple):
    """A pair to be played: drawn by a schedule, stored, and read again."""

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
    """Place in its stream, from 0; the store sets it."""
    id: int = 0
    """Key in the database, from 1; the store sets it."""


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """A finished pair without what its moves cost: results, lines and the draw behind them."""

    number: int
    a_revision: int
    """Moved first in game 0."""
    b_revision: int
    board_class: str
    results: tuple[Result, Result]
    """A's results in game 0 and game 1."""
    terminations: tuple[Termination, Termination]
    draw: tuple[str, str, int]
    """Board, opening and seed: two pairs of the same bots with equal draws are one experiment."""
    moves: tuple[str, str]
    """The columns of game 0 and game 1, the opening included, as `format_moves` writes them."""
    duration_us: int = 0
    """Of both games together."""

    @property
    def mirrored(self) -> "PlayedPair":
        """This pair from B's side: B becomes A, and the games keep their order."""
        first, second = self.results
        return replace(
            self,
            a_revision=self.b_revision,
            b_revision=self.a_revision,
            results=(first.mirrored, second.mirrored),
        )


class PairOutcome(StrEnum):
    """Outcome of handing in a pair."""

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
    """The number of its games that had been stored in the division before."""
