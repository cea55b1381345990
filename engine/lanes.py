"""The board as three 64-bit words, one 16-bit lane per column, and functions on such sets.

Word w holds columns 4w .. 4w+3, and the lowest bit of a lane is row 0::

    word 0   [ column 3 | column 2 | column 1 | column 0 ]
               63....48   47....32   31....16   15.....0    bit = 16 * (column % 4) + row

    one lane   15 14 13 12 | 11 10 9 8 7 6 5 4 3 2 1 0
               always 0      rows, of which the board uses the lowest

Because of the four spare bits, a shift by 15 or 17 (a diagonal) cannot carry a stone from the top
of a column into the bottom of the next. Columns that the board lacks are empty lanes.

The functions here work on plain 64-bit words; `engine.vector` has the same functions on all columns
at once in a vector register. Both give the same bits in rows 0 to 11.
"""

from typing import TypeAlias

import numpy as np

from engine.bits import ONE, ZERO, popcount64
from engine.compiled import inlined
from engine.layout import LANE, MAX_SIDE

U64 = np.uint64

Words: TypeAlias = tuple[np.uint64, np.uint64, np.uint64]
"""A set of cells: three words, lowest columns first."""
WordArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]

WORDS = 3
LANES_PER_WORD = 4
assert LANE * LANES_PER_WORD == 64  # noqa: S101 - the layout's one assumption
assert WORDS * LANES_PER_WORD == MAX_SIDE  # noqa: S101

BOTTOMS, CELLS, FORBIDDEN = range(3)
"""Rows of `engine.arrays.board_words`."""
MOVER, OPPONENT = range(2)
"""Rows of `engine.arrays.stone_words`."""


def to_words(cells: int) -> WordArray:
    """Convert a set of cells from the layout of `engine.position` to an array of shape (3,)."""
    return np.array([cells >> (64 * word) & (2**64 - 1) for word in range(WORDS)], np.uint64)


# --- kernels ------------------------------------------------------------------------------------

_TWO = U64(2)
_THREE = U64(3)
_FOUR_BITS = U64(4)
_WORD_BITS = U64(64)
_SIDEWAYS = U64(16)
_RISING = U64(17)
_FALLING = U64(15)
_FIFTEEN = U64(15)
_LOWEST = U64(0x0001_0001_0001_0001)
_LANE_LOW = U64(0x7FFF_7FFF_7FFF_7FFF)
_GATHER = U64(0x0000_2000_4000_8001)
_NIBBLE = U64(15)
_FORTY_FIVE = U64(45)
_FULL_LANE = U64(0xFFFF)


@inlined
def load(array: WordArray, row: int) -> Words:
    """Load row `row` of an array of shape (n, 3) as words."""
    return array[row, 0], array[row, 1], array[row, 2]


@inlined
def store(array: WordArray, row: int, words: Words) -> None:
    """Store words in row `row` of an array of shape (n, 3)."""
    array[row, 0], array[row, 1], array[row, 2] = words


@inlined
def either(left: Words, right: Words) -> Words:
    """Return the cells in one set or the other."""
    return left[0] | right[0], left[1] | right[1], left[2] | right[2]


@inlined
def both(left: Words, right: Words) -> Words:
    """Return the cells in both sets."""
    return left[0] & right[0], left[1] & right[1], left[2] & right[2]


@inlined
def without(left: Words, right: Words) -> Words:
    """Return the cells in the first set that are not in the second."""
    return left[0] & ~right[0], left[1] & ~right[1], left[2] & ~right[2]


@inlined
def any_cell(words: Words) -> bool:
    """Return whether the set is not empty."""
    return bool(words[0] | words[1] | words[2])


@inlined
def several(landing: Words) -> bool:
    """Return whether more than one column has a cell in the set (at most one per column)."""
    word0, word1, word2 = landing
    more = (word0 & (word0 - ONE)) | (word1 & (word1 - ONE)) | (word2 & (word2 - ONE))
    return bool(more) or bool(word0 and word1 | word2) or bool(word1 and word2)


@inlined
def count_columns(landing: Words) -> np.uint64:
    """Return the number of columns with a cell in the set (at most one per column)."""
    return popcount64(landing[0]) + popcount64(landing[1]) + popcount64(landing[2])


@inlined
def _kth_of_four(word: np.uint64, k: np.uint64) -> np.uint64:
    """Return the k-th set bit of a word with at most four set bits."""
    one_less = word & (word - ONE)
    two_less = one_less & (one_less - ONE)
    three_less = two_less & (two_less - ONE)
    low = one_less if k & ONE else word
    high = three_less if k & ONE else two_less
    rest = high if k & _TWO else low
    return rest & (ZERO - rest)


@inlined
def kth_cell(landing: Words, k: np.uint64) -> Words:
    """Return the k-th cell of the set, counted from 0 by ascending columns.

    Contract: at most one cell per column, k < count_columns(landing).
    """
    in_first = popcount64(landing[0])
    in_two = in_first + popcount64(landing[1])
    if k < in_first:
        return _kth_of_four(landing[0], k), ZERO, ZERO
    if k < in_two:
        return ZERO, _kth_of_four(landing[1], k - in_first), ZERO
    return ZERO, ZERO, _kth_of_four(landing[2], k - in_two)


@inlined
def playable(occupied: Words, bottoms: Words, cells: Words) -> Words:
    """Return the landing cell of every column that is not full.

    Contract: `occupied` holds both sides' stones **and the forbidden cell**. One addition finds
    all of them, since a carry runs up a lane until it meets a free cell::

          0 0 0 1 0 1 1   occupied, the upper 1 forbidden     0 0 0 1 1 1 1   after one more stone
        + 0 0 0 0 0 0 1   bottom                            + 0 0 0 0 0 0 1
        = 0 0 0 1 1 0 0   & ~occupied -> row 2              = 0 0 1 0 0 0 0   -> row 4
    """
    return (
        (occupied[0] + bottoms[0]) & ~occupied[0] & cells[0],
        (occupied[1] + bottoms[1]) & ~occupied[1] & cells[1],
        (occupied[2] + bottoms[2]) & ~occupied[2] & cells[2],
    )


@inlined
def _behind(words: Words, shift: np.uint64) -> Words:
    """Return all cells `shift` bits up, towards higher columns."""
    rest = _WORD_BITS - shift
    return (
        words[0] << shift,
        words[1] << shift | words[0] >> rest,
        words[2] << shift | words[1] >> rest,
    )


@inlined
def ahead(words: Words, shift: np.uint64) -> Words:
    """Return all cells `shift` bits down, towards lower columns."""
    rest = _WORD_BITS - shift
    return (
        words[0] >> shift | words[1] << rest,
        words[1] >> shift | words[2] << rest,
        words[2] >> shift,
    )


@inlined
def _line_threats(stones: Words, shift: np.uint64) -> Words:
    """Return the cells that complete four along one direction, raw.

    Lk and Rk are the stones seen k steps to either side of a cell::

        _ L1 L2 L3      R1 _ L1 L2      R2 R1 _ L1      R3 R2 R1 _
        L1 & L2 & (L3 | R1)             R1 & R2 & (L1 | R3)
    """
    l1 = ahead(stones, shift)
    l2 = ahead(stones, _TWO * shift)
    l3 = ahead(stones, _THREE * shift)
    r1 = _behind(stones, shift)
    r2 = _behind(stones, _TWO * shift)
    r3 = _behind(stones, _THREE * shift)
    return either(both(both(l1, l2), either(l3, r1)), both(both(r1, r2), either(l1, r3)))


@inlined
def _column_threats(word: np.uint64) -> np.uint64:
    return word << ONE & word << _TWO & word << _THREE


@inlined
def threats(stones: Words) -> Words:
    """Return the cells that complete a four of these stones.

    The result also has bits on occupied cells, on the forbidden cell, above the board and in lanes
    that the board lacks: mask it with `playable` or with the board's free cells.
    """
    sideways = _line_threats(stones, _SIDEWAYS)
    rising = _line_threats(stones, _RISING)
    falling = _line_threats(stones, _FALLING)
    upwards = (_column_threats(stones[0]), _column_threats(stones[1]), _column_threats(stones[2]))
    return either(either(sideways, rising), either(falling, upwards))


@inlined
def _line_of_four(stones: Words, shift: np.uint64) -> bool:
    pairs = both(stones, ahead(stones, shift))
    return any_cell(both(pairs, ahead(pairs, _TWO * shift)))


@inlined
def connects(stones: Words) -> bool:
    """Return whether the stones hold four or more in a row, column or diagonal."""
    return (
        _line_of_four(stones, _SIDEWAYS)
        or _line_of_four(stones, _RISING)
        or _line_of_four(stones, _FALLING)
        or _line_of_four(stones, ONE)
    )


@inlined
def _marks(word: np.uint64) -> np.uint64:
    """Return the lowest bit of each lane of the word that is not empty."""
    return (((word & _LANE_LOW) + _LANE_LOW) | word) >> _FIFTEEN & _LOWEST


@inlined
def _lanes_in_use(word: np.uint64) -> np.uint64:
    """Return a bit for each of the word's four lanes, set if the lane is not empty.

    Adding 0x7fff to the low 15 bits of a lane sets its bit 15 unless they are all 0; the product
    then gathers the four lanes' lowest bits in four neighbouring ones::

        ...d...c...b...a  *  (1 + 2**15 + 2**30 + 2**45)  >>  45   =   d c b a
    """
    return _marks(word) * _GATHER >> _FORTY_FIVE & _NIBBLE


@inlined
def _whole_lanes(bits: np.uint64) -> np.uint64:
    """Expand four bits to the full lanes of a word: the inverse of `_lanes_in_use`.

    Four copies of the four bits, 15 bits apart, put bit i at the bottom of lane i::

        dcba  *  (1 + 2**15 + 2**30 + 2**45)  ->  ...d ..cd ..bc ..ab a
    """
    return ((bits & _NIBBLE) * _GATHER & _LOWEST) * _FULL_LANE


@inlined
def columns_of(words: Words) -> np.uint64:
    """Return the columns that have a cell in the set, bit c for column c."""
    return (
        _lanes_in_use(words[0])
        | _lanes_in_use(words[1]) << _FOUR_BITS
        | _lanes_in_use(words[2]) << (_TWO * _FOUR_BITS)
    )


@inlined
def in_columns(words: Words, columns: np.uint64) -> Words:
    """Return the part of a set in the columns of a mask, bit c for column c."""
    return (
        words[0] & _whole_lanes(columns),
        words[1] & _whole_lanes(columns >> _FOUR_BITS),
        words[2] & _whole_lanes(columns >> (_TWO * _FOUR_BITS)),
    )


@inlined
def number_in(words: Words, column: int) -> np.int64:
    """Return the number in a column's lane."""
    word = words[0] if column < 4 else (words[1] if column < 8 else words[2])
    return np.int64(word >> U64(16 * (column & 3)) & _FULL_LANE)
