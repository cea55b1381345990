"""Positions from lines of moves, thousands in one call, for files of positions."""

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.compiled import kernel
from engine.lanes import WordArray
from engine.solver import geometry
from engine.solver.memory import Integers

Bytes = NDArray[np.uint8]

EDGE = 3
"""Rows and columns around the board, so that a line of four can be followed beyond its sides."""
NOT_A_COLUMN = 255


def column_table(board: Board, *, one_based: bool) -> Bytes:
    """Return the column of each character, `NOT_A_COLUMN` for others."""
    table = np.full(256, NOT_A_COLUMN, np.uint8)
    for digits in ("1234567",) if one_based else ("0123456789ab", "0123456789AB"):
        for column, digit in enumerate(digits[: board.columns]):
            table[ord(digit)] = column
    return table


def read_lines(
    board: Board, lines: list[str], prefix: str = "", *, one_based: bool = False
) -> tuple[WordArray, Integers]:
    """Read lines of moves up to the first that is not a position which can be solved.

    Args:
        board: the board of all positions.
        lines: the lines; white space around the moves does not matter.
        prefix: what each line begins with, before the moves.
        one_based: whether columns are counted from 1.

    Returns:
        The stones of each position, shape (n, 2, words): mover, then other side; and the plies.

    """
    text = np.frombuffer("".join(lines).encode("ascii", "replace"), np.uint8)
    ends = np.cumsum(np.fromiter(map(len, lines), np.int64, len(lines)))
    row, column = board.forbidden or (-1, -1)
    shape = np.array([board.rows, board.columns, row, column, geometry.stride_of(board)], np.int64)
    stones = np.zeros((len(lines), 2, geometry.words_of(board)), np.uint64)
    plies = np.zeros(len(lines), np.int64)
    columns = column_table(board, one_based=one_based)
    number = _replay(
        text, ends, columns, np.frombuffer(prefix.encode(), np.uint8), shape, stones, plies
    )
    return stones[:number], plies[:number]


@kernel
def _replay(
    text: Bytes,
    ends: Integers,
    columns: Bytes,
    prefix: Bytes,
    shape: Integers,
    stones: WordArray,
    plies: Integers,
) -> int:
    """Replay lines; return the number of lines before the first that is not a position."""
    rows, width, stride = shape[0], shape[1], shape[4]
    cells = rows * width - (1 if shape[2] >= 0 else 0)
    owners = np.zeros((width + 2 * EDGE, rows + 2 * EDGE), np.uint8)
    heights = np.zeros(width, np.int64)
    begin = np.int64(0)
    for number in range(len(ends)):
        first, end = begin, ends[number]
        begin = end
        while first < end and text[end - 1] <= 32:
            end -= 1
        while first < end and text[first] <= 32:
            first += 1
        if end - first < len(prefix):
            return number
        for place in range(len(prefix)):
            if text[first + place] != prefix[place]:
                return number
        first += len(prefix)
        owners[:] = 0
        heights[:] = 0
        for place in range(first, end):
            column = np.int64(columns[text[place]])
            if column == NOT_A_COLUMN:
                return number
            row = heights[column]
            if column == shape[3] and row == shape[2]:
                row += 1
            if row >= rows:
                return number
            heights[column] = row + 1
            side = (place - first) & 1
            owner = np.uint8(side + 1)
            x, y = column + EDGE, row + EDGE
            owners[x, y] = owner
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                length = 1
                for way in (-1, 1):
                    step = way
                    while owners[x + step * right, y + step * up] == owner:
                        length += 1
                        step += way
                if length >= 4:
                    return number
            bit = stride * column + row
            stones[number, side, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
        ply = end - first
        if ply == cells:
            return number
        plies[number] = ply
        if ply & 1:
            for word in range(stones.shape[2]):
                other = stones[number, 0, word]
                stones[number, 0, word] = stones[number, 1, word]
                stones[number, 1, word] = other
    return len(ends)
