"""The array board of the simple players and the first searches: one byte per cell.

A border of three walls makes tests for the edge unnecessary; the forbidden cell is a wall, too::

    at = (row + 3) * WIDTH + column + 3

`state` has three sets of columns as bits: immediate wins of side 0, of side 1, and the playable
columns. A stone can only change columns at most three away whose landing cell is on a line with it,
so a ply costs a few short scans.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.bits import below_random, kth_bit, popcount64, trailing_zeros64
from engine.compiled import kernel

WIDTH = 18
WALL = 3
PLAYABLE = 2
"""Index in `state` of the playable columns; 0 and 1 are each side's winning columns."""

Cells = NDArray[np.int8]
Tops = NDArray[np.int64]
State = NDArray[np.int64]
Integer: TypeAlias = int | np.int64


@kernel
def reach(cells: Cells, at: Integer, step: int, stone: Integer) -> int:
    """Count the side's consecutive stones from a cell in a direction, at most three."""
    count = 0
    at += step
    while count < 3 and cells[at] == stone:
        count += 1
        at += step
    return count


@kernel
def completes(cells: Cells, at: Integer, stone: Integer) -> bool:
    """Return whether a stone of the side on this cell completes a four."""
    return (
        reach(cells, at, -WIDTH, stone) == 3
        or reach(cells, at, 1, stone) + reach(cells, at, -1, stone) >= 3
        or reach(cells, at, WIDTH + 1, stone) + reach(cells, at, -WIDTH - 1, stone) >= 3
        or reach(cells, at, WIDTH - 1, stone) + reach(cells, at, 1 - WIDTH, stone) >= 3
    )


@kernel
def play(cells: Cells, tops: Tops, state: State, column: Integer, side: Integer) -> bool:
    """Play a playable column; return True if it connects four."""
    at = tops[column + 3]
    bit = 1 << column
    won = bool(state[side] & bit)
    stone = side + 1
    cells[at] = stone
    # The cell above is empty, or forbidden (then the one above it counts), or a wall.
    above = at + WIDTH
    if cells[above] == WALL and cells[above + WIDTH] == 0:
        above += WIDTH
    if cells[above] == 0:
        tops[column + 3] = above
        for other in range(2):
            if completes(cells, above, other + 1):
                state[other] |= bit
            else:
                state[other] &= ~bit
    else:
        tops[column + 3] = 0
        for which in range(3):
            state[which] &= ~bit
    for distance in range(1, 4):
        for sign in range(-1, 2, 2):
            near = column + sign * distance
            landing = tops[near + 3]
            if landing == 0:
                continue
            # Same row or same diagonal.
            rows = landing - at - sign * distance
            if rows not in (0, distance * WIDTH, -distance * WIDTH):
                continue
            if not state[side] >> near & 1 and completes(cells, landing, stone):
                state[side] |= 1 << near
    return won


@kernel
def size(columns: Integer) -> np.int64:
    """Return the number of columns in a set."""
    return np.int64(popcount64(np.uint64(columns)))


@kernel
def lowest_column(columns: Integer) -> np.int64:
    """Return the lowest column of a non-empty set."""
    return np.int64(trailing_zeros64(np.uint64(columns)))


@kernel
def draw_column(columns: Integer, random: np.uint64) -> np.int64:
    """Return a random column of a non-empty set, from a generator state that was just stepped."""
    mask = np.uint64(columns)
    return np.int64(trailing_zeros64(kth_bit(mask, below_random(random, popcount64(mask)))))
