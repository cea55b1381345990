"""Boards and positions as arrays for the solver's kernels, in either layout."""

from collections.abc import Sequence

import numpy as np

from engine.board import Board
from engine.lanes import WordArray
from engine.layout import LANE
from engine.position import Position

SET_BYTES = 24
"""Length of a set in the layout of `engine.position`: twelve lanes of 16 bits."""


def fits_one_word(board: Board) -> bool:
    """Return whether a set of this board's cells fits in one 64-bit word."""
    return (board.rows + 1) * board.columns <= 64


def stride_of(board: Board) -> int:
    """Return the number of bits from one column to the next."""
    return board.rows + 1 if fits_one_word(board) else LANE


def words_of(board: Board) -> int:
    """Return the number of 64-bit words of a set of cells."""
    return 1 if fits_one_word(board) else 3


def is_symmetric(board: Board) -> bool:
    """Return whether the board is its own mirror image."""
    return board.forbidden is None or 2 * board.forbidden[1] == board.columns - 1


def to_layout(board: Board, cells: int) -> list[int]:
    """Convert a set of cells from the layout of `engine.position`."""
    if not fits_one_word(board):
        return [cells >> (64 * word) & (2**64 - 1) for word in range(3)]
    stride, mask = board.rows + 1, (1 << LANE) - 1
    word = 0
    for column in range(board.columns):
        word |= (cells >> (LANE * column) & mask) << (stride * column)
    return [word]


def board_constants(board: Board) -> WordArray:
    """Return the board's constant sets, shape (8, words).

    `upper` and `lower` cells alternate in each column from the top down, without the forbidden
    cell: the highest is upper, the next lower, and so on. In a column with an even number of free
    cells the next stone lands on a lower cell and a reply in the same column on an upper one.
    """

    def set_of(cells: list[tuple[int, int]]) -> int:
        return sum(1 << (LANE * column + row) for row, column in cells)

    cells = [
        (row, column)
        for column in range(board.columns)
        for row in range(board.rows)
        if (row, column) != board.forbidden
    ]
    bottoms = [(0, column) for column in range(board.columns)]
    forbidden = [] if board.forbidden is None else [board.forbidden]
    above = [(row + 1, column) for row, column in forbidden if row + 1 < board.rows]
    lower: list[tuple[int, int]] = []
    upper: list[tuple[int, int]] = []
    for column in range(board.columns):
        own = [cell for cell in reversed(cells) if cell[1] == column]
        upper += own[::2]
        lower += own[1::2]
    sets: tuple[list[tuple[int, int]], ...] = (bottoms, cells, forbidden, above, lower, upper, [])
    stride = [stride_of(board)] + [0] * (words_of(board) - 1)
    rows = [stride] + [to_layout(board, set_of(cells)) for cells in sets]
    return np.array(rows, np.uint64)


def line_counts(board: Board) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the number of lines of four through each cell, by the cell's number."""
    counts = np.zeros(64 * words_of(board), np.int64)
    stride = stride_of(board)
    for row in range(board.rows):
        for column in range(board.columns):
            for up, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
                cells = [(row + up * step, column + right * step) for step in range(4)]
                if all(
                    0 <= r < board.rows and 0 <= c < board.columns and (r, c) != board.forbidden
                    for r, c in cells
                ):
                    for r, c in cells:
                        counts[stride * c + r] += 1
    return counts


def positions_words(positions: Sequence[Position], board: Board) -> WordArray:
    """Return the stones of positions, shape (n, 2, words): mover, then other side."""
    content = b"".join(
        [
            position.stones[side].to_bytes(SET_BYTES, "little")
            for position in positions
            for side in (position.ply & 1, 1 - (position.ply & 1))
        ]
    )
    if not fits_one_word(board):
        return np.frombuffer(content, np.uint64).reshape(-1, 2, 3).copy()
    columns = np.frombuffer(content, np.uint16).reshape(-1, 2, 12)
    columns = columns[..., : board.columns].astype(np.uint64)
    columns <<= np.arange(0, stride_of(board) * board.columns, stride_of(board), dtype=np.uint64)
    return np.bitwise_or.reduce(columns, axis=-1, keepdims=True)
