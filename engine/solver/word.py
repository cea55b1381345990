"""Sets of cells in one 64-bit word, for boards with (rows + 1) * columns <= 64.

Every column owns `stride` = rows + 1 bits, the lowest is row 0. The bit above the top row stays
empty in every set, so that a shift by stride - 1, stride or stride + 1 cannot carry a stone of one
column into the next::

      6  13  20  27  34  41  48      always 0: 6x7, stride 7
      5  12  19  26  33  40  47      top row
      .   .   .   .   .   .   .
      0   7  14  21  28  35  42      row 0

The functions have the names and contracts of `engine.solver.lanes`, so that the search is written
once and built on either. A kernel loads the board's constants once with `load_board`.
"""

import numpy as np

from engine.bits import ONE, ZERO, popcount64, trailing_zeros64
from engine.compiled import inlined
from engine.lanes import WordArray

U64 = np.uint64
WORDS = 1
"""64-bit words of one set."""

_TWO = U64(2)
_THREE = U64(3)

Constants = tuple[
    np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64, np.uint64
]


@inlined
def load(array: WordArray, row: int) -> np.uint64:
    """Row `row` of an array of shape (n, 1)."""
    cells: np.uint64 = array[row, 0]
    return cells


@inlined
def store(array: WordArray, row: int, cells: np.uint64) -> None:
    """Write a set to row `row` of an array of shape (n, 1)."""
    array[row, 0] = cells


@inlined
def without(left: np.uint64, right: np.uint64) -> np.uint64:
    """The cells in the first set that are not in the second."""
    return left & ~right


@inlined
def any_cell(cells: np.uint64) -> bool:
    """Whether the set is not empty."""
    return bool(cells)


@inlined
def several(cells: np.uint64) -> bool:
    """Whether the set has more than one cell; at most one a column is allowed."""
    return bool(cells & (cells - ONE))


@inlined
def count(cells: np.uint64) -> np.int64:
    """The number of cells."""
    return np.int64(popcount64(cells))


@inlined
def lowest(cells: np.uint64) -> np.uint64:
    """The cell in the leftmost column with one; at most one a column is allowed."""
    return cells & (ZERO - cells)


@inlined
def number_of(cell: np.uint64) -> np.int64:
    """The number of a cell, below 64: its bit."""
    return np.int64(trailing_zeros64(cell))


@inlined
def landing(occupied: np.uint64, board: Constants) -> np.uint64:
    """The lowest free cell of every column, also the one above the top row of a full column.

    Contract: `occupied` holds both sides' stones and the forbidden cell.
    """
    return (occupied + board[1]) & ~occupied


@inlined
def below(cells: np.uint64, board: Constants) -> np.uint64:
    """The cells after which those of the set can be played: one lower, two past the forbidden."""
    return (cells >> ONE) | ((cells & board[4]) >> _TWO)


@inlined
def _line_threats(stones: np.uint64, shift: np.uint64) -> np.uint64:
    twice = _TWO * shift
    pairs = stones & (stones >> shift)
    # x marks the completed cell:  X X x X   and   X x X X   around a pair, then   x X X X x
    inner = ((pairs << twice) & (stones >> shift)) | ((pairs >> shift) & (stones << shift))
    triples = pairs & (stones >> twice)
    return inner | (triples >> shift) | (triples << (_THREE * shift))


@inlined
def threats(stones: np.uint64, board: Constants) -> np.uint64:
    """The cells that would complete four for the side with these stones; mask with free cells."""
    stride = board[0]
    upwards = (stones << ONE) & (stones << _TWO) & (stones << _THREE)
    return (
        upwards
        | _line_threats(stones, stride)
        | _line_threats(stones, stride + ONE)
        | _line_threats(stones, stride - ONE)
    )


@inlined
def _starts(cells: np.uint64, shift: np.uint64) -> np.uint64:
    pairs = cells & (cells >> shift)
    return pairs & (pairs >> (_TWO * shift))


@inlined
def _spread(starts: np.uint64, shift: np.uint64) -> np.uint64:
    pairs = starts | (starts << shift)
    return pairs | (pairs << (_TWO * shift))


@inlined
def lines(cells: np.uint64, board: Constants) -> np.uint64:
    """The cells that belong to a four within the set."""
    s = board[0]
    return (
        _spread(_starts(cells, ONE), ONE)
        | _spread(_starts(cells, s), s)
        | _spread(_starts(cells, s + ONE), s + ONE)
        | _spread(_starts(cells, s - ONE), s - ONE)
    )


@inlined
def open_lines(cells: np.uint64, full: np.uint64, board: Constants) -> np.uint64:
    """The cells that belong to a four within the set, but not wholly within its part `full`."""
    s = board[0]
    r, f = s + ONE, s - ONE
    return (
        _spread(_starts(cells, ONE) & ~_starts(full, ONE), ONE)
        | _spread(_starts(cells, s) & ~_starts(full, s), s)
        | _spread(_starts(cells, r) & ~_starts(full, r), r)
        | _spread(_starts(cells, f) & ~_starts(full, f), f)
    )


@inlined
def connects(cells: np.uint64, board: Constants) -> bool:
    """Whether the set holds four in a row, column or diagonal."""
    s = board[0]
    rising, falling = _starts(cells, s + ONE), _starts(cells, s - ONE)
    return bool(_starts(cells, ONE) | _starts(cells, s) | rising | falling)


@inlined
def load_board(array: WordArray) -> Constants:
    """The constants of a board from `engine.solver.geometry.board_constants`."""
    return (
        array[0, 0],
        array[1, 0],
        array[2, 0],
        array[3, 0],
        array[4, 0],
        array[5, 0],
        array[6, 0],
        array[7, 0],
    )


@inlined
def mirrored(cells: np.uint64, board: Constants, columns: int) -> np.uint64:
    """The set with left and right exchanged."""
    stride = board[0]
    lane = (ONE << stride) - ONE
    result = ZERO
    for column in range(columns):
        result = (result << stride) | ((cells >> (stride * U64(column))) & lane)
    return result


@inlined
def is_less(left: np.uint64, right: np.uint64) -> bool:
    """Some total order of sets."""
    return bool(left < right)
