"""Sets of cells in the lanes of a vector register, for boards that do not fit in one word.

The layout is that of `engine.vector` (a 16-bit lane per column); the functions have the names and
contracts of `engine.solver.word`.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from engine import vector
from engine.bits import ZERO, popcount64, trailing_zeros64
from engine.compiled import instruction, lean
from engine.solver.memory import CONSTANTS
from engine.vector import Register, UniTuple, register, shifted

U64 = np.uint64
WORDS = 3
"""Number of 64-bit words of a set."""

_BOARD = UniTuple(register, CONSTANTS)
Constants = tuple[Register, ...]
"""The rows of `engine.solver.geometry.board_constants`."""

load = vector.load
store = vector.store
without = vector.without
any_cell = vector.any_cell
several = vector.several

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_WORDS = ir.VectorType(_I64, 4)
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""Steps (columns, rows) along a column, a row and both diagonals."""


def _starts(builder: Any, cells: Any, direction: tuple[int, int]) -> Any:
    columns, rows = direction
    pairs = builder.and_(cells, shifted(builder, cells, columns, rows))
    return builder.and_(pairs, shifted(builder, pairs, 2 * columns, 2 * rows))


def _spread(builder: Any, starts: Any, direction: tuple[int, int]) -> Any:
    columns, rows = direction
    pairs = builder.or_(starts, shifted(builder, starts, -columns, -rows))
    return builder.or_(pairs, shifted(builder, pairs, -2 * columns, -2 * rows))


@instruction(register, register, _BOARD)
def lines(builder: Any, cells: Any, board: Any) -> Any:  # noqa: ARG001 - as in the other layout
    """Return the cells that belong to a four within the set."""
    starts = {direction: _starts(builder, cells, direction) for direction in _DIRECTIONS}
    spread = [_spread(builder, found, direction) for direction, found in starts.items()]
    return vector.any_of(builder, spread)


@instruction(register, register, register, _BOARD)
def open_lines(builder: Any, cells: Any, full: Any, board: Any) -> Any:  # noqa: ARG001
    """Return the cells of the fours within the set that are not wholly within `full`."""
    found = []
    for direction in _DIRECTIONS:
        closed = builder.not_(_starts(builder, full, direction))
        starts = builder.and_(_starts(builder, cells, direction), closed)
        found.append(_spread(builder, starts, direction))
    return vector.any_of(builder, found)


def _total(builder: Any, sets: list[Any]) -> Any:
    total = ir.Constant(_I64, 0)
    for cells in sets:
        words = builder.bitcast(cells, _WORDS)
        for place in range(WORDS):
            word = builder.extract_element(words, ir.Constant(_I32, place))
            total = builder.add(total, builder.ctpop(word))
    return total


@instruction(types.int64, register, _BOARD)
def fours(builder: Any, cells: Any, board: Any) -> Any:  # noqa: ARG001
    """Return the number of fours within the set."""
    return _total(builder, [_starts(builder, cells, direction) for direction in _DIRECTIONS])


@instruction(types.int64, register, register, _BOARD)
def begun_fours(builder: Any, stones: Any, cells: Any, board: Any) -> Any:  # noqa: ARG001
    """Return the number of fours within the set that contain at least two of the stones."""
    found = []
    for direction in _DIRECTIONS:
        columns, rows = direction
        a = stones
        b, c, d = (shifted(builder, a, columns * step, rows * step) for step in (1, 2, 3))
        both = builder.or_(builder.and_(a, b), builder.and_(c, d))
        mixed = builder.and_(builder.or_(a, b), builder.or_(c, d))
        starts = _starts(builder, cells, direction)
        found.append(builder.and_(builder.or_(both, mixed), starts))
    return _total(builder, found)


@instruction(register, register, _BOARD)
def landing(builder: Any, occupied: Any, board: Any) -> Any:
    """Return the lowest free cell of every column, above the top row if the column is full.

    Contract: `occupied` holds both sides' stones and the forbidden cell.
    """
    bottoms = builder.extract_value(board, 1)
    return builder.and_(builder.add(occupied, bottoms), builder.not_(occupied))


@instruction(register, register, _BOARD)
def below(builder: Any, cells: Any, board: Any) -> Any:
    """Return the cells directly below those of the set, past the forbidden cell."""
    over = builder.and_(cells, builder.extract_value(board, 4))
    return builder.or_(shifted(builder, cells, 0, 1), shifted(builder, over, 0, 2))


@lean
def count(cells: Register) -> np.int64:
    """Return the number of cells."""
    words = vector.unpack(cells)
    return np.int64(popcount64(words[0]) + popcount64(words[1]) + popcount64(words[2]))


@lean
def lowest(cells: Register) -> Register:
    """Return the cell of the leftmost column (at most one cell per column)."""
    columns = vector.columns_of(cells)
    return vector.in_columns(cells, columns & (ZERO - columns))


@lean
def number_of(cell: Register) -> np.int64:
    """Return the bit number of a cell, below 192."""
    words = vector.unpack(cell)
    if words[0]:
        return np.int64(trailing_zeros64(words[0]))
    if words[1]:
        return np.int64(64) + np.int64(trailing_zeros64(words[1]))
    return np.int64(128) + np.int64(trailing_zeros64(words[2]))


@lean
def threats(stones: Register, board: Constants) -> Register:  # noqa: ARG001 - as in the other layout
    """Return the cells that complete a four of these stones; mask with the free cells."""
    return vector.threats(stones)


@lean
def connects(cells: Register, board: Constants) -> bool:  # noqa: ARG001
    """Return whether the set holds four in a row, column or diagonal."""
    return vector.connects(cells)


@lean
def _swapped(word: np.uint64) -> np.uint64:
    """Return the four lanes of a word in reverse order."""
    word = (word >> U64(32)) | (word << U64(32))
    low = U64(0x0000_FFFF_0000_FFFF)
    return ((word >> U64(16)) & low) | ((word & low) << U64(16))


@lean
def mirrored(cells: Register, board: Constants, columns: int) -> Register:  # noqa: ARG001
    """Return the mirror image of the set."""
    words = vector.unpack(cells)
    a, b, c = _swapped(words[2]), _swapped(words[1]), _swapped(words[0])
    # reversed, the board ends at lane 11; it is shifted to begin at lane 0
    lanes_down = U64(12 - columns)
    whole, rest = lanes_down >> U64(2), U64(16) * (lanes_down & U64(3))
    if whole >= U64(1):
        a, b, c = b, c, ZERO
    if whole >= U64(2):
        a, b, c = b, c, ZERO
    if rest:
        up = U64(64) - rest
        a, b, c = (a >> rest) | (b << up), (b >> rest) | (c << up), c >> rest
    return vector.pack(a, b, c)


@lean
def is_less(left: Register, right: Register) -> bool:
    """Compare two sets by some total order."""
    a, b = vector.unpack(left), vector.unpack(right)
    if a[0] != b[0]:
        return bool(a[0] < b[0])
    if a[1] != b[1]:
        return bool(a[1] < b[1])
    return bool(a[2] < b[2])
