"""Bounds on the values of a position's columns: finding and packing them.

A value is a number for the side to move: ``1000 - plies`` for a win, 0 for a draw and
``plies - 1000`` for a loss. So better values are greater: a win in 3 plies is 997, a win in 5 plies
995, a loss in 4 plies -996. The column's own ply counts.
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
