"""Arrays for kernels: boards and positions in the layout of `engine.lanes`, and cache lines."""

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.lanes import WordArray, to_words
from engine.position import Position, geometry

LINE_BYTES = 64
"""Bytes of a line of the processor's cache."""


def aligned(raw: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a part of an array of bytes that begins at a cache line, `LINE_BYTES` shorter.

    A large array of numpy begins 16 bytes after one, so each of its rows would be on two.
    """
    start = -raw.ctypes.data % LINE_BYTES
    return raw[start : len(raw) - LINE_BYTES + start]


def board_words(board: Board) -> WordArray:
    """Return the board as an array for kernels, shape (3, 3): one row per set of cells.

    Row `BOTTOMS` is the lowest cell of every column, `CELLS` the cells that stones can occupy
    (without the forbidden one), `FORBIDDEN` the forbidden cell or nothing.
    """
    masks = geometry(board)
    sets = (masks.bottoms, masks.cells & ~masks.forbidden, masks.forbidden)
    return np.stack([to_words(cells) for cells in sets])


def stone_words(position: Position) -> WordArray:
    """Return the stones as an array of shape (2, 3): row `MOVER` has the side to move."""
    mover = position.to_move
    return np.stack([to_words(position.stones[mover]), to_words(position.stones[1 - mover])])
