"""Counting groups: windows of four cells with one or two stones of one side only.

A window is four adjacent cells of a row, a column or a diagonal. With the stones shifted by one,
two and three steps onto the window's first cell, two half adders count all windows at once::

    s0 + s1 = low01 + 2 * high01        s2 + s3 = low23 + 2 * high23

    one stone:    one low, no high
    two stones:   both lows (then no high is set), or one high and no low
"""

import numpy as np

from engine.bits import ONE, popcount64
from engine.compiled import inlined
from engine.lanes import Words

U64 = np.uint64

_TWO = U64(2)
_THREE = U64(3)
_WORD_BITS = U64(64)
_FALLING = U64(15)
_SIDEWAYS = U64(16)
_RISING = U64(17)


@inlined
def _ahead(words: Words, shift: np.uint64) -> Words:
    """Shift a set down by 1 to 51 bits: each cell gets the one `shift` bits further up."""
    rest = _WORD_BITS - shift
    return (
        words[0] >> shift | words[1] << rest,
        words[1] >> shift | words[2] << rest,
        words[2] >> shift,
    )


@inlined
def _groups_of_word(
    room: np.uint64, s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> tuple[np.uint64, np.uint64]:
    low01, high01 = s0 ^ s1, s0 & s1
    low23, high23 = s2 ^ s3, s2 & s3
    one = (low01 ^ low23) & ~(high01 | high23)
    two = (low01 & low23) | ((high01 ^ high23) & ~(low01 | low23))
    return popcount64(one & room), popcount64(two & room)


@inlined
def _groups_along(stones: Words, room: Words, shift: np.uint64) -> tuple[np.uint64, np.uint64]:
    # All cells of a window must be free or own: test pairs of cells, then pairs of pairs.
    pairs = _ahead(room, shift)
    pairs = room[0] & pairs[0], room[1] & pairs[1], room[2] & pairs[2]
    further = _ahead(pairs, _TWO * shift)
    s1 = _ahead(stones, shift)
    s2 = _ahead(stones, _TWO * shift)
    s3 = _ahead(stones, _THREE * shift)
    a = _groups_of_word(pairs[0] & further[0], stones[0], s1[0], s2[0], s3[0])
    b = _groups_of_word(pairs[1] & further[1], stones[1], s1[1], s2[1], s3[1])
    c = _groups_of_word(pairs[2] & further[2], stones[2], s1[2], s2[2], s3[2])
    return a[0] + b[0] + c[0], a[1] + b[1] + c[1]


@inlined
def groups(stones: Words, room: Words) -> tuple[np.uint64, np.uint64]:
    """Return how many windows have one stone, and how many have two, in free cells else.

    Args:
        stones: the stones of one side.
        room: the cells that windows may include: those of the board (not the forbidden one) without
            a stone of the opponent. They include the side's own stones.

    """
    upwards = _groups_along(stones, room, ONE)
    sideways = _groups_along(stones, room, _SIDEWAYS)
    rising = _groups_along(stones, room, _RISING)
    falling = _groups_along(stones, room, _FALLING)
    return (
        upwards[0] + sideways[0] + rising[0] + falling[0],
        upwards[1] + sideways[1] + rising[1] + falling[1],
    )
