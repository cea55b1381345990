"""Sets of cells in one 64-bit word, for boards with (rows + 1) * columns <= 64.

Every column has `stride` = rows + 1 bits, the lowest is row 0. The bit above the top row is empty
in every set, so a shift by stride - 1, stride or stride + 1 cannot carry a stone into the next
column::

      6  13  20  27  34  41  48      always 0: 6x7, stride 7
      5  12  19  26  33  40  47      top row
      .   .   .   .   .   .   .
      0   7  14  21  28  35  42      row 0

The four directions of a line are computed side by side in the four 64-bit parts of a vector.

The functions have the names and contracts of `engine.solver.wide`, so the search is written once
and built on either.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from engine.bits import ONE, ZERO, popcount64, trailing_zeros64
from engine.compiled import instruction, lean
from engine.lanes import WordArray
from engine.solver.memory import CONSTANTS
from engine.vector import UniTuple

U64 = np.uint64
WORDS = 1
"""Number of 64-bit words of a set."""

_TWO = U64(2)
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_DIRECTIONS = ir.VectorType(_I64, 4)
"""LLVM type of one set per direction: column, row and both diagonals."""

_BOARD = UniTuple(types.uint64, CONSTANTS)
Constants = tuple[np.uint64, ...]
"""The rows of `engine.solver.geometry.board_constants`."""


def _stride(builder: Any, board: Any) -> Any:
    return builder.extract_value(board, 0)


def _each(builder: Any, value: Any) -> Any:
    """Copy a word to all directions."""
    first = builder.insert_element(
        ir.Constant(_DIRECTIONS, ir.Undefined), value, ir.Constant(_I32, 0)
    )
    places = ir.Constant(ir.VectorType(_I32, 4), [0] * 4)
    return builder.shuffle_vector(first, first, places)


def _steps(builder: Any, stride: Any) -> tuple[Any, Any, Any]:
    """Return the shifts by one, two and three cells, for each direction."""
    sideways = builder.mul(_each(builder, stride), ir.Constant(_DIRECTIONS, [0, 1, 1, 1]))
    once = builder.add(sideways, ir.Constant(_DIRECTIONS, [1, 0, 1, 2**64 - 1]))
    twice = builder.add(once, once)
    return once, twice, builder.add(twice, once)


def _starts(builder: Any, cells: Any, stride: Any) -> Any:
    """Return the lowest cells of the fours within a set."""
    once, twice, _ = _steps(builder, stride)
    every = _each(builder, cells)
    pairs = builder.and_(every, builder.lshr(every, once))
    return builder.and_(pairs, builder.lshr(pairs, twice))


def _spread(builder: Any, starts: Any, stride: Any) -> Any:
    """Return all cells of the fours that begin at these cells."""
    once, twice, _ = _steps(builder, stride)
    pairs = builder.or_(starts, builder.shl(starts, once))
    return builder.or_(pairs, builder.shl(pairs, twice))


def _parts(builder: Any, vector: Any) -> list[Any]:
    return [builder.extract_element(vector, ir.Constant(_I32, place)) for place in range(4)]


def _any_direction(builder: Any, vector: Any) -> Any:
    a, b, c, d = _parts(builder, vector)
    return builder.or_(builder.or_(a, b), builder.or_(c, d))


def _total(builder: Any, vector: Any) -> Any:
    a, b, c, d = (builder.ctpop(part) for part in _parts(builder, vector))
    return builder.add(builder.add(a, b), builder.add(c, d))


@lean
def load(array: WordArray, row: int) -> np.uint64:
    """Load row `row` of an array of shape (n, 1)."""
    cells: np.uint64 = array[row, 0]
    return cells


@lean
def store(array: WordArray, row: int, cells: np.uint64) -> None:
    """Store a set in row `row` of an array of shape (n, 1)."""
    array[row, 0] = cells


@lean
def without(left: np.uint64, right: np.uint64) -> np.uint64:
    """Return the cells in the first set that are not in the second."""
    return left & ~right


@lean
def any_cell(cells: np.uint64) -> bool:
    """Return whether the set is not empty."""
    return bool(cells)


@lean
def several(cells: np.uint64) -> bool:
    """Return whether the set has more than one cell (at most one per column)."""
    return bool(cells & (cells - ONE))


@lean
def count(cells: np.uint64) -> np.int64:
    """Return the number of cells."""
    return np.int64(popcount64(cells))


@lean
def lowest(cells: np.uint64) -> np.uint64:
    """Return the cell of the leftmost column (at most one cell per column)."""
    return cells & (ZERO - cells)


@lean
def number_of(cell: np.uint64) -> np.int64:
    """Return the bit number of a cell, below 64."""
    return np.int64(trailing_zeros64(cell))


@lean
def landing(occupied: np.uint64, board: Constants) -> np.uint64:
    """Return the lowest free cell of every column, above the top row if the column is full.

    Contract: `occupied` holds both sides' stones and the forbidden cell.
    """
    return (occupied + board[1]) & ~occupied


@lean
def below(cells: np.uint64, board: Constants) -> np.uint64:
    """Return the cells directly below those of the set, past the forbidden cell."""
    return (cells >> ONE) | ((cells & board[4]) >> _TWO)


@instruction(types.uint64, types.uint64, _BOARD)
def threats(builder: Any, stones: Any, board: Any) -> Any:
    """Return the cells that complete a four of these stones; mask with the free cells."""
    once, twice, thrice = _steps(builder, _stride(builder, board))
    near, far = _each(builder, stones), builder.lshr(_each(builder, stones), once)
    pairs = builder.and_(near, far)
    # x is the completing cell:  X X x X   and   X x X X   around a pair, then   x X X X x
    behind = builder.and_(builder.shl(pairs, twice), far)
    ahead = builder.and_(builder.lshr(pairs, once), builder.shl(near, once))
    triples = builder.and_(pairs, builder.lshr(near, twice))
    ends = builder.or_(builder.lshr(triples, once), builder.shl(triples, thrice))
    return _any_direction(builder, builder.or_(builder.or_(behind, ahead), ends))


@instruction(types.uint64, types.uint64, _BOARD)
def lines(builder: Any, cells: Any, board: Any) -> Any:
    """Return the cells that belong to a four within the set."""
    stride = _stride(builder, board)
    return _any_direction(builder, _spread(builder, _starts(builder, cells, stride), stride))


@instruction(types.uint64, types.uint64, types.uint64, _BOARD)
def open_lines(builder: Any, cells: Any, full: Any, board: Any) -> Any:
    """Return the cells of the fours within the set that are not wholly within `full`."""
    stride = _stride(builder, board)
    closed = builder.not_(_starts(builder, full, stride))
    starts = builder.and_(_starts(builder, cells, stride), closed)
    return _any_direction(builder, _spread(builder, starts, stride))


@instruction(types.boolean, types.uint64, _BOARD)
def connects(builder: Any, cells: Any, board: Any) -> Any:
    """Return whether the set holds four in a row, column or diagonal."""
    starts = _any_direction(builder, _starts(builder, cells, _stride(builder, board)))
    return builder.icmp_unsigned("!=", starts, ir.Constant(_I64, 0))


@instruction(types.int64, types.uint64, _BOARD)
def fours(builder: Any, cells: Any, board: Any) -> Any:
    """Return the number of fours within the set."""
    return _total(builder, _starts(builder, cells, _stride(builder, board)))


@instruction(types.int64, types.uint64, types.uint64, _BOARD)
def begun_fours(builder: Any, stones: Any, cells: Any, board: Any) -> Any:
    """Return the number of fours within the set that contain at least two of the stones."""
    stride = _stride(builder, board)
    a = _each(builder, stones)
    b, c, d = (builder.lshr(a, steps) for steps in _steps(builder, stride))
    both = builder.or_(builder.and_(a, b), builder.and_(c, d))
    mixed = builder.and_(builder.or_(a, b), builder.or_(c, d))
    starts = _starts(builder, cells, stride)
    return _total(builder, builder.and_(builder.or_(both, mixed), starts))


@lean
def mirrored(cells: np.uint64, board: Constants, columns: int) -> np.uint64:
    """Return the mirror image of the set, swapping pairs of columns."""
    stride = board[0]
    lane = (ONE << stride) - ONE
    apart = stride * U64(columns - 1)
    for _ in range(columns >> 1):
        differ = (cells ^ (cells >> apart)) & lane
        cells ^= differ | (differ << apart)
        lane <<= stride
        apart -= stride + stride
    return cells


@lean
def is_less(left: np.uint64, right: np.uint64) -> bool:
    """Compare two sets by some total order."""
    return bool(left < right)
