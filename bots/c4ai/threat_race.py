"""The threat race: the columns with threats, played out to the end.

When all other columns are full, the players must play in these, and the row of a threat decides who
has to play below it (zugzwang control: Allis, 1988). The rest of a column is encoded in 28 bits,
the lowest free cell first::

    27....24 23.........12 11..........0
    length   their threats  my threats       "I" am the side to move

In the race the sides drop stones in turn; a side that fills a cell of its own threats wins, and
full columns are a draw. New lines that these stones would form do not count.
"""

from typing import TypeAlias

import numpy as np

from engine.bits import ONE, ZERO, popcount64, scramble64, trailing_zeros64
from engine.compiled import inlined, kernel
from engine.lanes import WordArray, Words

U64 = np.uint64

MOST_COLUMNS = 4
"""With more threat columns the result counts as a draw."""

Cache: TypeAlias = WordArray
"""Cache of results, shape (2**k, 2): two codes per word, the result in the spare bits of the
second."""
Codes: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64]

_CACHE_BITS = 14
_MARKS = U64(0xFFF)
_MINE_REST = U64(0x7FF)
_TWELVE = U64(12)
_LENGTH_AT = U64(24)
_SPARE = U64(60)
_HALF = U64(32)
_FOUR = U64(4)
_LANE = U64(0xFFFF)
_THREE = U64(3)
_TWO = U64(2)
_THEIR_FIRST = U64(1 << 12)
_ONE_LONG = U64(1 << 24)


def new_cache() -> Cache:
    """Return an empty cache, whose content affects only the speed."""
    return np.zeros((1 << _CACHE_BITS, 2), U64)


@inlined
def _turned(code: np.uint64) -> np.uint64:
    """Return the code for the other side."""
    mine, theirs = code & _MARKS, code >> _TWELVE & _MARKS
    return mine << _TWELVE | theirs | (code >> _LENGTH_AT << _LENGTH_AT)


@inlined
def _played(code: np.uint64) -> np.uint64:
    """Return the code without its lowest cell."""
    mine, theirs = code >> ONE & _MINE_REST, code >> _TWELVE >> ONE & _MINE_REST
    return theirs << _TWELVE | mine | ((code >> _LENGTH_AT) - ONE) << _LENGTH_AT


@inlined
def _in_order(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> Codes:
    """Sort codes in descending order; the order of columns does not matter."""
    if a < b:
        a, b = b, a
    if c < d:
        c, d = d, c
    if a < c:
        a, c = c, a
    if b < d:
        b, d = d, b
    if b < c:
        b, c = c, b
    return a, b, c, d


@kernel
def play_race(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, cache: Cache, work: WordArray
) -> np.int64:
    """Return the result of a race for the side to move: 1, 0 or -1.

    Args:
        a: code of the first column, 0 for a full column or none.
        b: code of the second.
        c: code of the third.
        d: code of the fourth.
        cache: from `new_cache`; updated.
        work: counter of positions, shape (1,).

    """
    work[0] += ONE
    if (a | b | c | d) & ONE:
        return np.int64(1)
    threatened = (a & _THEIR_FIRST) + (b & _THEIR_FIRST) + (c & _THEIR_FIRST) + (d & _THEIR_FIRST)
    if threatened > _THEIR_FIRST:
        return np.int64(-1)
    # Without threats the race is a draw.
    if not (a | b | c | d) & (_MARKS | _MARKS << _TWELVE):
        return np.int64(0)
    a, b, c, d = _in_order(a, b, c, d)
    first = a | b << _HALF
    second = c | d << _HALF
    place = scramble64(first ^ scramble64(second)) & U64((1 << _CACHE_BITS) - 1)
    known = cache[place, 1]
    # A cached position has a threat, so its first word is never 0.
    if cache[place, 0] == first and known << _FOUR >> _FOUR == second:
        return np.int64(known >> _SPARE) - 1
    best = np.int64(-1)
    for turn in range(MOST_COLUMNS):
        code = a
        if turn == 1:
            code = b
        elif turn == 2:
            code = c
        elif turn == 3:
            code = d
        if code < _ONE_LONG or (threatened != ZERO and code & _THEIR_FIRST == ZERO):
            continue
        after = _turned(_played(code))
        ra, rb, rc, rd = _turned(a), _turned(b), _turned(c), _turned(d)
        if turn == 0:
            ra = after
        elif turn == 1:
            rb = after
        elif turn == 2:
            rc = after
        else:
            rd = after
        result = -play_race(ra, rb, rc, rd, cache, work)
        if result > best:
            best = result
            if best == 1:
                break
    cache[place, 0] = first
    cache[place, 1] = second | U64(best + 1) << _SPARE
    return best


@inlined
def _code(free: np.uint64, mine: np.uint64, theirs: np.uint64) -> np.uint64:
    """Encode a column from its lanes of free cells and threats."""
    marks = ZERO
    length = ZERO
    needed = ZERO
    while free:
        cell = free & (ZERO - free)
        free ^= cell
        if mine & cell:
            marks |= ONE << length
            needed = length + ONE
        if theirs & cell:
            marks |= ONE << (length + _TWELVE)
            needed = length + ONE
        length += ONE
    # A cell above the last threat only passes the turn, and two of them cancel out: the side
    # that does better without them answers one with the other.
    length = needed + ((length - needed) & ONE)
    return marks | length << _LENGTH_AT


@inlined
def race_result(
    mine: Words, theirs: Words, free: Words, columns: np.uint64, cache: Cache, work: WordArray
) -> np.int64:
    """Return the probable result for the side to move: 1, 0 or -1.

    Args:
        mine: the free cells on which the side to move would connect four.
        theirs: the free cells on which the other side would.
        free: the free cells.
        columns: the threat columns, bit c for column c. All others are filled first, which decides
            who begins the race.
        cache: from `new_cache`; updated.
        work: counter of positions, shape (1,).

    """
    if not columns or popcount64(columns) > U64(MOST_COLUMNS):
        return np.int64(0)
    elsewhere = popcount64(free[0]) + popcount64(free[1]) + popcount64(free[2])
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    while columns:
        column = trailing_zeros64(columns)
        columns &= columns - ONE
        shift = (column & _THREE) << _FOUR
        word = column >> _TWO
        if word == ZERO:
            f, m, t = free[0], mine[0], theirs[0]
        elif word == ONE:
            f, m, t = free[1], mine[1], theirs[1]
        else:
            f, m, t = free[2], mine[2], theirs[2]
        lane = f >> shift & _LANE
        elsewhere -= popcount64(lane)
        d = c
        c = b
        b = a
        a = _code(lane, m >> shift & _LANE, t >> shift & _LANE)
    if elsewhere & ONE:
        result = -play_race(_turned(a), _turned(b), _turned(c), _turned(d), cache, work)
        return np.int64(result)
    return play_race(a, b, c, d, cache, work)
