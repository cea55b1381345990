"""Positions and what the solver knows of their columns: the key, the bounds, the bytes.

The value of a column is a number, from the side to move: a win is ``1000 - plies``, a draw 0 and a
loss ``plies - 1000``, so that better values are greater numbers. A column's own ply counts.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.position import Position
from engine.solver.value import Outcome, Value

if TYPE_CHECKING:
    from engine.solver.solver import Solver

FAR = 1000
"""More plies than any game has."""
MOST_FOR_DISTANCE = 500_000
"""Nodes for the distances in a position: those of early positions cost many times its outcome."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The value of a column lies between these, ends included."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        """Whether outcome and distance are known."""
        return self.low == self.high

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while it is open."""
        return outcome_of(self.low) if outcome_of(self.low) is outcome_of(self.high) else None


Columns = tuple[Bounds | None, ...]
"""One entry for each column of the board; None where it cannot be played."""
UNBOUNDED = Bounds(1 - FAR, FAR - 1)


def outcome_of(number: int) -> Outcome:
    """The outcome that a value stands for."""
    return Outcome((number > 0) - (number < 0))


def distance_of(number: int) -> int | None:
    """Plies to the end of the game; None for a draw."""
    return FAR - abs(number) if number else None


def number_of(value: Value) -> int:
    """The number of a value of the solver."""
    distance = FAR - (value.distance or 0)
    return int(value.outcome) * distance


def best_bounds(columns: Columns) -> Bounds:
    """Bounds on the value of a position with these columns."""
    legal = [column for column in columns if column is not None]
    return Bounds(max(one.low for one in legal), max(one.high for one in legal))


def pack_columns(columns: Columns, *, is_image: bool) -> bytes:
    """The bytes of a position's columns, in the orientation of its key."""
    numbers: list[int] = []
    for column in reversed(columns) if is_image else columns:
        numbers += (FAR, FAR) if column is None else (column.low, column.high)
    return struct.pack(f"<{len(numbers)}h", *numbers)


def unpack_columns(content: bytes, *, is_image: bool) -> Columns:
    """The columns of a position; the inverse of `pack_columns`."""
    numbers = struct.unpack(f"<{len(content) // 2}h", content)
    columns = [
        None if low == FAR else Bounds(low, high)
        for low, high in zip(numbers[::2], numbers[1::2], strict=True)
    ]
    return tuple(reversed(columns) if is_image else columns)


def solve_columns(solver: "Solver", position: Position, nodes: int) -> Columns:
    """Return bounds on every column of a position, found with at most about `nodes` nodes.

    Half of them may go into win, draw or loss, and as many, but no more than `MOST_FOR_DISTANCE`,
    into the distances of the columns whose outcome is known. Nodes that a column leaves serve the
    others.
    """
    from engine.solver.solver import solution_of_move  # loads the compiler

    found = dict.fromkeys(position.legal_moves(), UNBOUNDED)
    for is_weak, most in ((True, nodes // 2), (False, min(nodes // 2, MOST_FOR_DISTANCE))):
        asked = [
            column
            for column, bounds in found.items()
            if is_weak or (bounds.outcome is not None and not bounds.is_exact)
        ]
        left = most
        for place, column in enumerate(asked):
            after = position.play(column)
            share = max(1, left // (len(asked) - place))
            answer = None if after.is_over else solver.solve(after, weak=is_weak, nodes=share)
            value = solution_of_move(after, answer)
            known, low, high = found[column], number_of(value.low), number_of(value.high)
            found[column] = Bounds(max(known.low, low), min(known.high, high))
            left -= value.nodes
    return tuple(found.get(column) for column in range(position.board.columns))


def is_settled(columns: Sequence[Bounds | None]) -> bool:
    """Whether more nodes would add nothing."""
    return all(column is None or column.is_exact for column in columns)
