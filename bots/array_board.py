"""The array board of the simple players and the first searches: one byte a cell.

The board is padded with a border of three walls, so that looking along a line needs no test of the
edge; the forbidden cell is a wall too::

    at = (row + 3) * WIDTH + column + 3

Beside the cells, `state` holds three sets of columns as bits: those that win at once for side 0,
those for side 1, and the playable ones. Only columns within three of the last stone can change,
and of those only the ones whose landing cell lies on a line with it: a ply costs a few short looks.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.bits import below_random, kth_bit, popcount64, trailing_zeros64
from engine.board import Board
from engine.compiled import kernel
from engine.position import Position

WIDTH = 18
WALL = 3
PLAYABLE = 2
"""Index in `state` of the playable columns; 0 and 1 are the sides' winning ones."""

Cells = NDArray[np.int8]
Tops = NDArray[np.int64]
State = NDArray[np.int64]
Integer: TypeAlias = int | np.int64


def lay_out(board: Board, moves: tuple[int, ...]) -> tuple[Cells, Tops, State]:
    """Cells, landing rows (an index into the padded cells) and column sets of a position."""
    cells = np.full(WIDTH * WIDTH, WALL, np.int8)
    for row in range(board.rows):
        for column in range(board.columns):
            if (row, column) != board.forbidden:
                cells[(row + 3) * WIDTH + column + 3] = 0
    tops = np.zeros(WIDTH, np.int64)
    state = np.zeros(3, np.int64)
    start = Position(board)
    for column in range(board.columns):
        # No column of a board is full from the start: four rows, and one forbidden cell at most.
        landing = start.landing_row(column) or 0
        tops[column + 3] = (landing + 3) * WIDTH + column + 3
        state[PLAYABLE] |= 1 << column
    for ply, column in enumerate(moves):
        play(cells, tops, state, column, ply & 1)
    return cells, tops, state


@kernel
def reach(cells: Cells, at: Integer, step: int, stone: Integer) -> int:
    """The number of the side's stones that follow one another from a cell, at most three."""
    count = 0
    at += step
    while count < 3 and cells[at] == stone:
        count += 1
        at += step
    return count


@kernel
def completes(cells: Cells, at: Integer, stone: Integer) -> bool:
    """Whether the side's stone on this cell would make four in a line."""
    return (
        reach(cells, at, -WIDTH, stone) == 3
        or reach(cells, at, 1, stone) + reach(cells, at, -1, stone) >= 3
        or reach(cells, at, WIDTH + 1, stone) + reach(cells, at, -WIDTH - 1, stone) >= 3
        or reach(cells, at, WIDTH - 1, stone) + reach(cells, at, 1 - WIDTH, stone) >= 3
    )


@kernel
def play(cells: Cells, tops: Tops, state: State, column: Integer, side: Integer) -> bool:
    """Drop a stone; True when it connects four. The column must be playable."""
    at = tops[column + 3]
    bit = 1 << column
    won = bool(state[side] & bit)
    stone = side + 1
    cells[at] = stone
    # The cell above is empty, or forbidden with another one above, or the wall.
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
            # Same row, or the same number of rows away as columns.
            rows = landing - at - sign * distance
            if rows not in (0, distance * WIDTH, -distance * WIDTH):
                continue
            if not state[side] >> near & 1 and completes(cells, landing, stone):
                state[side] |= 1 << near
    return won


@kernel
def size(columns: Integer) -> np.int64:
    """The number of columns in a set."""
    return np.int64(popcount64(np.uint64(columns)))


@kernel
def lowest_column(columns: Integer) -> np.int64:
    """The lowest column of a set that is not empty."""
    return np.int64(trailing_zeros64(np.uint64(columns)))


@kernel
def draw_column(columns: Integer, random: np.uint64) -> np.int64:
    """A uniform column of a set that is not empty, from a generator just stepped."""
    mask = np.uint64(columns)
    return np.int64(trailing_zeros64(kth_bit(mask, below_random(random, popcount64(mask)))))
