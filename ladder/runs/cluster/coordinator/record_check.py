"""Validation of the records that machines send, so that no impossible record is stored.

A record is compared with the plan of its pair and the rules of the game. A legal game that the bots
did not play passes; repeated pairs reveal it (`ladder.runs.cluster.coordinator.contradictions`).
"""

import math
import time
from itertools import islice

import msgspec

from db.records import thought_blob
from db.records.endings import find_ending_fault
from db.records.games import LINE_PLIES, GameRecord, Thought, find_thought_fault
from db.records.pairs import PairPlan, PairRecord
from db.records.sides import SideSums
from db.records.thought_blob import LIMIT
from engine.board import parse_board
from engine.errors import IllegalMove
from engine.mutable_game import MutableGame
from engine.result import Termination
from ladder.errors import LadderError
from ladder.match.game.new_game import SideClock
from ladder.match.game.refereed_game import MAX_STALLS

MOST_BYTES = 1 << 20
"""Most bytes of a record: the largest honest one has two forfeits with lines of 64 KiB."""
MOST_TEXT = 100_000
"""Most characters of the detail of a forfeit."""
SLACK_S = 2.0
"""Tolerance in seconds for the drift between two clocks, and for late deadlines."""
CLOCK_S = 86_400.0
"""Largest error of a machine's clock in seconds."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(PairRecord)


class FalseRecord(LadderError):
    """A record that cannot be the result of the pair that the machine got."""


def checked_record(answer: object, plan: PairPlan, seconds: float) -> PairRecord:
    """Return a machine's answer as the record of a pair, if it is possible.

    Args:
        answer: The answer of the machine.
        plan: The plan that the machine got.
        seconds: The time since then.

    Raises:
        FalseRecord: the record is impossible.

    """
    try:
        record = _typed(answer)
        _check_pair(record, plan)
        for game in record.games:
            try:
                _check_game(game, plan)
            except ValueError as error:
                raise ValueError(f"game {int(game.swapped)}: {error}") from error
        _require(
            sum(game.duration_us for game in record.games) <= (seconds + SLACK_S) * 1e6,
            f"its games last longer than the {seconds:.1f} s that the machine had",
        )
    except (ValueError, OverflowError) as error:
        raise FalseRecord(f"it sent a false record of pair {plan.number}: {error}") from error
    return record


def _typed(answer: object) -> PairRecord:
    """Check the type of every field: the answer was unpickled, so it may hold anything."""
    _require(type(answer) is PairRecord, f"it is a {type(answer).__name__}")
    try:
        packed = _encoder.encode(answer)
    except (TypeError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from error
    _require(len(packed) <= MOST_BYTES, f"it has {len(packed) >> 20} MiB")
    return _decoder.decode(packed)


def _check_pair(record: PairRecord, plan: PairPlan) -> None:
    _require(
        (record.id, record.number) == (plan.id, plan.number),
        f"it is the record of pair {record.number}",
    )
    bots = {plan.a.revision, plan.b.revision}
    for revisions in (record.failed_starts, record.changed):
        _require(bots.issuperset(revisions), "it names bots that do not play in this pair")
    _require(0 <= record.aborts <= MAX_STALLS + 1, f"it stalled {record.aborts} times")
    _require(len(record.abort_reason) <= MOST_TEXT, "its reason for an abort is too long")
    if record.games:
        order = [game.swapped for game in record.games]
        _require(order == [False, True], "it does not hold the two games of a pair in order")
        _require(not record.changed, "it has games of bots whose files have changed")
    else:
        _require(bool(record.aborts or record.changed), "it has no games and gives no reason")


def _check_game(game: GameRecord, plan: PairPlan) -> None:
    opening = len(plan.opening)
    _require(game.moves[:opening] == plan.opening, "its moves do not begin with the opening")
    played = MutableGame(parse_board(plan.board), plan.opening)
    try:
        for column in islice(game.moves, opening, None):
            played.play(column)
    except IllegalMove as error:
        raise ValueError(f"its moves are not legal: {error}") from error
    _require(game.termination is not Termination.ABORTED, "aborted games are not stored")
    fault = find_ending_fault(played, game.result, game.termination, game.detail, plan.adjudicate)
    _require(fault is None, str(fault))
    is_forfeit = game.termination.is_forfeit
    thoughts = thought_blob.decode(game.thoughts)
    moves = len(game.moves) - opening
    _require(
        moves <= len(thoughts) <= moves + is_forfeit,
        f"it has {moves} moves of bots, and {len(thoughts)} thoughts",
    )
    sides = (plan.b, plan.a) if game.swapped else (plan.a, plan.b)
    for place, (side, sums) in enumerate(zip(sides, game.sides, strict=True)):
        clock = SideClock(side.budget, margin_ms=plan.margin_ms, watchdog_s=plan.watchdog_s)
        own = thoughts[(place + opening) & 1 :: 2]
        for thought in own:
            _check_thought(thought, clock.limit_us + SLACK_S * 1e6)
            clock.spend(thought.time_us)
        _check_sums(sums, own, is_forfeit=is_forfeit)
    _require(
        0 <= sum(sums.time_us for sums in game.sides) <= game.duration_us + SLACK_S * 1e6,
        "its moves took longer than the game",
    )
    _require(
        math.isfinite(game.started) and abs(game.started - time.time()) <= CLOCK_S,
        "it began more than a day from now: set the clock of that machine",
    )
    _require(len(game.detail) <= MOST_TEXT, "the detail of its forfeit is too long")


def _check_thought(thought: Thought, limit_us: float) -> None:
    fault = find_thought_fault(thought)
    _require(fault is None, str(fault))
    _require(thought.time_us <= limit_us, "a move took longer than its limit")
    counts = (thought.cpu_us, thought.simulations, thought.nodes, thought.depth, thought.distance)
    _require(
        all(abs(count) <= LIMIT for count in counts if count), "a number of a move is too great"
    )
    _require(len(thought.line) <= LINE_PLIES, "an expected line is too long")


def _check_sums(sums: SideSums, own: tuple[Thought, ...], *, is_forfeit: bool) -> None:
    """Compare the sums over a side's moves with the moves; a late move is in the sums only."""
    times = [thought.time_us for thought in own]
    late = sums.moves - len(own)
    _require(0 <= late <= is_forfeit, f"it counts {sums.moves} moves of a side, not {len(own)}")
    searched = [thought for thought in own if thought.work]
    if late:
        fits = sums.time_us >= sum(times)
    else:
        fits = (sums.time_us, sums.max_us) == (sum(times), max(times, default=0))
    _require(
        fits and sums.searched_us == sum(thought.time_us for thought in searched),
        "the times of its moves and their sums differ",
    )
    work = [thought.work or 0 for thought in searched]
    if max(work, default=0) < LIMIT:  # greater numbers are cut in stored moves
        _require(sums.simulations == sum(work), "the work of its moves and their sums differ")


def _require(fact: bool, otherwise: str) -> None:
    if not fact:
        raise ValueError(otherwise)
