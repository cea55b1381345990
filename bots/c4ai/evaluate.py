"""The static value of a position after the player's own move.

    value = w0 * ones + w1 * twos + w2 * atari + (w3 probable win | w4 draw | w5 loss)

`ones` and `twos` are the player's groups of one and two stones that can still become four, less the
opponent's; `atari` is 1 if the player could win at the next move. If the opponent can win at once,
or the player has two ataris, the game is decided: the search values that, not the weights.

A group is a window of four cells with one or two stones of one side only, adjacent in a row, a
column or a diagonal. With the stones shifted by one, two and three steps onto the window's first
cell, two half adders count all windows at once::

    s0 + s1 = low01 + 2 * high01        s2 + s3 = low23 + 2 * high23

    one stone:    one low, no high
    two stones:   both lows (then no high is set), or one high and no low
"""

import numpy as np
from numpy.typing import NDArray

from bots.c4ai.threat_race import Cache, race_result
from engine import lanes
from engine.bits import ONE, popcount64
from engine.compiled import inlined

U64 = np.uint64

_TWO = U64(2)
_THREE = U64(3)
_FALLING = U64(15)
_SIDEWAYS = U64(16)
_RISING = U64(17)


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
def _groups_along(
    stones: lanes.Words, room: lanes.Words, shift: np.uint64
) -> tuple[np.uint64, np.uint64]:
    # All cells of a window must be free or own: test pairs of cells, then pairs of pairs.
    pairs = lanes.ahead(room, shift)
    pairs = room[0] & pairs[0], room[1] & pairs[1], room[2] & pairs[2]
    further = lanes.ahead(pairs, _TWO * shift)
    s1 = lanes.ahead(stones, shift)
    s2 = lanes.ahead(stones, _TWO * shift)
    s3 = lanes.ahead(stones, _THREE * shift)
    a = _groups_of_word(pairs[0] & further[0], stones[0], s1[0], s2[0], s3[0])
    b = _groups_of_word(pairs[1] & further[1], stones[1], s1[1], s2[1], s3[1])
    c = _groups_of_word(pairs[2] & further[2], stones[2], s1[2], s2[2], s3[2])
    return a[0] + b[0] + c[0], a[1] + b[1] + c[1]


@inlined
def groups(stones: lanes.Words, room: lanes.Words) -> tuple[np.uint64, np.uint64]:
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


WeightArray = NDArray[np.int64]


@inlined
def static_value(
    own: lanes.Words,
    other: lanes.Words,
    own_wins: lanes.Words,
    other_wins: lanes.Words,
    landing: lanes.Words,
    cells: lanes.Words,
    weights: WeightArray,
    cache: Cache,
    work: lanes.WordArray,
) -> np.int64:
    """Return the value for the player who has just moved.

    Args:
        own: the stones of the player.
        other: the stones of the side to move, which has no immediate win.
        own_wins: `engine.lanes.threats` of the player's stones.
        other_wins: `engine.lanes.threats` of the other side's stones.
        landing: the playable cells.
        cells: the cells of the board.
        weights: shape (6,).
        cache: the cache of `bots.c4ai.threat_race`.
        work: counter of the positions of threat races, shape (1,).

    """
    own_ones, own_twos = groups(own, lanes.without(cells, other))
    other_ones, other_twos = groups(other, lanes.without(cells, own))
    free = lanes.without(lanes.without(cells, own), other)
    own_wins = lanes.both(own_wins, free)
    other_wins = lanes.both(other_wins, free)
    hidden = lanes.without(lanes.either(own_wins, other_wins), landing)
    outcome = -race_result(other_wins, own_wins, free, lanes.columns_of(hidden), cache, work)
    value = weights[4]
    if outcome > 0:
        value = weights[3]
    elif outcome < 0:
        value = weights[5]
    if lanes.any_cell(lanes.both(own_wins, landing)):
        value += weights[2]
    value += weights[0] * (np.int64(own_ones) - np.int64(other_ones))
    value += weights[1] * (np.int64(own_twos) - np.int64(other_twos))
    return np.int64(value)
