"""The verdict on one move: whether it was a decision, right, fast, and its claim true.

A verdict is four bytes, so that the verdicts on a million games are an array:

====  =====================================================================================
byte  holds
====  =====================================================================================
0     outcome before the move (bits 0, 1), outcome after it (bits 2, 3), decision (bits 4, 5)
1     plies that the move delayed a win or hastened a loss; 255 if unknown
2     the reported value in hundredths plus 100, such as 150 for 0.5; 255 without one
3     the check of the bot's claim to have proven the result: a `Claim`
====  =====================================================================================

The value of a position or column is a number for the side to move: ``1000 - plies`` for a win, 0
for a draw and ``plies - 1000`` for a loss. So better values are greater: a win in 3 plies is 997, a
win in 5 plies 995, a loss in 4 plies -996. The column's own ply counts.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from db.records.games import GameRow, Thought
from engine.board import parse_board
from engine.position import Position
from engine.solver.value import Outcome, Value

if TYPE_CHECKING:
    from engine.solver.solver import Solver


FAR = 1000
"""More plies than any game can have."""
MOST_FOR_DISTANCE = 500_000
"""Node limit for the distances in a position, which cost far more than outcomes early on."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """An inclusive range that holds the value of a column."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None if it is open."""
        return outcome_of(self.low) if outcome_of(self.low) is outcome_of(self.high) else None


Columns = tuple[Bounds | None, ...]
"""Bounds of each column of the board; None for a full column."""
UNBOUNDED = Bounds(1 - FAR, FAR - 1)


def outcome_of(number: int) -> Outcome:
    """Return the outcome of a value."""
    return Outcome((number > 0) - (number < 0))


def distance_of(number: int) -> int | None:
    """Return the plies to the end of the game; None for a draw."""
    return FAR - abs(number) if number else None


def number_of(value: Value) -> int:
    """Return the number of a solver's value."""
    distance = FAR - (value.distance or 0)
    return int(value.outcome) * distance


def best_bounds(columns: Columns) -> Bounds:
    """Return the bounds on the value of a position with these columns."""
    legal = [column for column in columns if column is not None]
    return Bounds(max(one.low for one in legal), max(one.high for one in legal))


def pack_columns(columns: Columns, *, is_image: bool) -> bytes:
    """Return a position's columns as bytes, in the orientation of its key."""
    numbers: list[int] = []
    for column in reversed(columns) if is_image else columns:
        numbers += (FAR, FAR) if column is None else (column.low, column.high)
    return struct.pack(f"<{len(numbers)}h", *numbers)


def unpack_columns(content: bytes, *, is_image: bool) -> Columns:
    """Return a position's columns from bytes of `pack_columns`."""
    numbers = struct.unpack(f"<{len(content) // 2}h", content)
    columns = [
        None if low == FAR else Bounds(low, high)
        for low, high in zip(numbers[::2], numbers[1::2], strict=True)
    ]
    return tuple(reversed(columns) if is_image else columns)


def solve_columns(
    solver: "Solver",
    position: Position,
    nodes: int,
    *,
    most_for_distance: int = MOST_FOR_DISTANCE,
) -> Columns:
    """Return bounds on every column of a position, found with at most about `nodes` nodes.

    Half of the nodes are for outcomes, and half of these for that of the position: its search turns
    to the columns that decide it, and its bounds hold for every column. The other half, but at most
    `most_for_distance`, are for the distances of columns with a known outcome. A column's unused
    nodes go to the next ones.
    """
    from engine.solver.solver import solution_of_move  # loads the compiler

    whole = solver.solve(position, weak=True, nodes=nodes // 4)
    found = dict.fromkeys(position.legal_moves(), Bounds(UNBOUNDED.low, number_of(whole.high)))
    for is_weak, most in (
        (True, nodes // 2 - whole.nodes),
        (False, min(nodes // 2, most_for_distance)),
    ):
        columns = [
            column
            for column, bounds in found.items()
            if (bounds.outcome is None) == is_weak and not bounds.is_exact
        ]
        left = most
        for place, column in enumerate(columns):
            after = position.play(column)
            share = max(1, left // (len(columns) - place))
            answer = None if after.is_over else solver.solve(after, weak=is_weak, nodes=share)
            value = solution_of_move(after, answer)
            known, low, high = found[column], number_of(value.low), number_of(value.high)
            found[column] = Bounds(max(known.low, low), min(known.high, high))
            left -= value.nodes
    return tuple(found.get(column) for column in range(position.board.columns))


def is_settled(columns: Sequence[Bounds | None]) -> bool:
    """Return whether all values are known."""
    return all(column is None or column.is_exact for column in columns)


BYTES = 4
"""Size of a verdict."""
OPEN = 3
"""Code of an unknown outcome; the others are 0 for a loss, 1 for a draw, 2 for a win."""
NO_PLIES, NO_VALUE = 255, 255


class Decision(IntEnum):
    """Whether a move had a choice between keeping the result and losing it."""

    NO = 0
    YES = 1
    UNKNOWN = 2


class Claim(IntEnum):
    """The check of a bot's claim to have proven the result of a position."""

    NONE = 0
    TRUE = 1
    LONGER = 2
    """The result is right, but under best play the game ends sooner than claimed."""
    FALSE = 3
    """The result is wrong, or the claimed end comes sooner than is possible."""
    UNKNOWN = 4


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """The verdict on one move."""

    before: Outcome | None
    """Result under best play before the move, for the mover; None if unknown."""
    after: Outcome | None
    """Result under best play after the move, for the mover; None if unknown."""
    decision: Decision
    plies_lost: int | None
    """Plies that a win was delayed or a loss hastened; 0 for draws and changed results."""
    reported: float | None
    """The value that the bot reported, -1..1."""
    claim: Claim

    @property
    def is_mistake(self) -> bool:
        """Whether the move is known to have worsened the result."""
        return self.before is not None and self.after is not None and self.after < self.before

    def pack(self) -> bytes:
        """Return the verdict as four bytes."""
        outcomes = _code(self.before) | _code(self.after) << 2 | self.decision << 4
        plies = NO_PLIES if self.plies_lost is None else self.plies_lost
        value = NO_VALUE
        if self.reported is not None:
            value = round(100 * max(-1.0, min(self.reported, 1.0))) + 100
        return bytes((outcomes, plies, value, self.claim))

    @classmethod
    def of(cls, content: bytes) -> "MoveVerdict":
        """Return the verdict in four bytes."""
        outcomes, plies, value, claim = content
        return cls(
            before=_outcome(outcomes & 3),
            after=_outcome(outcomes >> 2 & 3),
            decision=Decision(outcomes >> 4),
            plies_lost=None if plies == NO_PLIES else plies,
            reported=None if value == NO_VALUE else (value - 100) / 100,
            claim=Claim(claim),
        )


def judge_move(columns: Columns, column: int, thought: Thought) -> MoveVerdict:
    """Return the verdict on a move.

    Args:
        columns: the bounds of the position before it.
        column: the move.
        thought: what the bot reported about it.

    """
    best = best_bounds(columns)
    played = columns[column] or UNBOUNDED
    before, after = best.outcome, played.outcome
    if before is not None and after is None and played.high < _least(before):
        before = None  # a mistake of an unknown kind: counts as unknown
    return MoveVerdict(
        before=before,
        after=after,
        decision=_decision(columns, before, after),
        plies_lost=_plies_lost(best, played, before, after),
        reported=thought.value,
        claim=check_claim(thought, best),
    )


def _decision(columns: Columns, before: Outcome | None, after: Outcome | None) -> Decision:
    if before is None or after is None:
        return Decision.UNKNOWN
    if after < before:
        return Decision.YES
    others = [column for column in columns if column is not None]
    if any(column.high < _least(before) for column in others):
        return Decision.YES
    return Decision.NO if all(one.outcome is before for one in others) else Decision.UNKNOWN


def _least(outcome: Outcome) -> int:
    """Return the least value of an outcome."""
    return {Outcome.WIN: 1, Outcome.DRAW: 0, Outcome.LOSS: -1000}[outcome]


def _plies_lost(
    best: Bounds, played: Bounds, before: Outcome | None, after: Outcome | None
) -> int | None:
    if before is None or after is None:
        return None
    if before is not after or before is Outcome.DRAW:
        return 0
    if best.is_exact and played.is_exact:
        return min(best.low - played.low, NO_PLIES - 1)
    return None


def check_claim(thought: Thought, best: Bounds) -> Claim:
    """Check a bot's claim about a position with these bounds.

    ``win 7`` claims that the mover wins in at most 7 plies, ``loss 6`` that it loses in at most 6.
    So the claim is false if best play takes longer.
    """
    if thought.proven is None:
        return Claim.NONE
    claimed = Outcome[thought.proven.upper()]
    if best.outcome is None:
        excluded = best.high < _least(claimed) or best.low > _most(claimed)
        return Claim.FALSE if excluded else Claim.UNKNOWN
    if best.outcome is not claimed:
        return Claim.FALSE
    claim = thought.distance
    if claim is None or claimed is Outcome.DRAW:
        return Claim.TRUE
    distances = sorted(abs(distance_of(number) or 0) for number in (best.low, best.high))
    if claim < distances[0]:
        return Claim.FALSE
    if claim > distances[1]:
        return Claim.LONGER
    return Claim.TRUE if best.is_exact else Claim.UNKNOWN


def _most(outcome: Outcome) -> int:
    """Return the greatest value of an outcome."""
    return {Outcome.WIN: 1000, Outcome.DRAW: 0, Outcome.LOSS: -1}[outcome]


def _code(outcome: Outcome | None) -> int:
    return OPEN if outcome is None else int(outcome) + 1


def _outcome(code: int) -> Outcome | None:
    return None if code == OPEN else Outcome(code - 1)


def replay_positions(game: GameRow) -> list[Position]:
    """Return the position before each move after the opening."""
    position = Position.from_moves(parse_board(game.board), game.moves[: game.opening_plies])
    found = []
    for column in game.moves[game.opening_plies :]:
        found.append(position)
        position = position.play(column)
    return found
