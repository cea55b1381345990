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

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from bots.c4ai.threat_race import Cache, race_result
from engine import vector
from engine.compiled import inlined, instruction
from engine.lanes import WordArray
from engine.vector import NOTHING, Register, UniTuple, popcounts, register, shifted, sum_of

_DIRECTIONS = ((1, 0), (1, 1), (1, -1), (0, 1))


def _count(builder: Any, stones: Any, room: Any) -> tuple[Any, Any]:
    """Emit the groups of one stone and of two in the windows that begin in each column.

    Args:
        builder: the LLVM instruction builder.
        stones: the stones of one side.
        room: the cells that windows may include: those of the board (not the forbidden one) without
            a stone of the opponent. They include the side's own stones.

    """
    ones, twos = NOTHING, NOTHING
    for columns, rows in _DIRECTIONS:

        def step(cells: Any, steps: int, columns: int = columns, rows: int = rows) -> Any:
            return shifted(builder, cells, steps * columns, steps * rows)

        # All cells of a window must be free or own: test pairs of cells, then pairs of pairs.
        pairs = builder.and_(room, step(room, 1))
        window = builder.and_(pairs, step(pairs, 2))
        s0, s1, s2, s3 = stones, step(stones, 1), step(stones, 2), step(stones, 3)
        low01, high01 = builder.xor(s0, s1), builder.and_(s0, s1)
        low23, high23 = builder.xor(s2, s3), builder.and_(s2, s3)
        no_high = builder.not_(builder.or_(high01, high23))
        no_low = builder.not_(builder.or_(low01, low23))
        one = builder.and_(builder.xor(low01, low23), no_high)
        high = builder.and_(builder.xor(high01, high23), no_low)
        two = builder.or_(builder.and_(low01, low23), high)
        ones = builder.add(ones, popcounts(builder, builder.and_(one, window)))
        twos = builder.add(twos, popcounts(builder, builder.and_(two, window)))
    return ones, twos


@instruction(UniTuple(types.int64, 2), register, register, register)
def _balance(builder: Any, own: Any, other: Any, cells: Any) -> Any:
    own_counts = _count(builder, own, builder.and_(cells, builder.not_(other)))
    other_counts = _count(builder, other, builder.and_(cells, builder.not_(own)))
    result = ir.Constant(ir.ArrayType(ir.IntType(64), 2), ir.Undefined)
    for place, (mine, theirs) in enumerate(zip(own_counts, other_counts, strict=True)):
        result = builder.insert_value(result, sum_of(builder, builder.sub(mine, theirs)), place)
    return result


balance: Callable[[Register, Register, Register], tuple[np.int64, np.int64]] = _balance
"""Return the groups of one stone and of two that a side has more than the opponent.

Arguments: the side's stones, the opponent's, the cells of the board.
"""

WeightArray = NDArray[np.int64]


@inlined
def static_value(
    own: Register,
    other: Register,
    own_wins: Register,
    other_wins: Register,
    landing: Register,
    cells: Register,
    weights: WeightArray,
    cache: Cache,
    work: WordArray,
) -> np.int64:
    """Return the value for the player who has just moved.

    Args:
        own: the stones of the player.
        other: the stones of the side to move, which has no immediate win.
        own_wins: `engine.vector.threats` of the player's stones.
        other_wins: `engine.vector.threats` of the other side's stones.
        landing: the playable cells.
        cells: the cells of the board.
        weights: shape (6,).
        cache: the cache of `bots.c4ai.threat_race`.
        work: counter of the positions of threat races, shape (1,).

    """
    free = vector.without(vector.without(cells, own), other)
    own_wins = own_wins & free
    other_wins = other_wins & free
    hidden = vector.without(own_wins | other_wins, landing)
    outcome = -race_result(
        vector.unpack(other_wins),
        vector.unpack(own_wins),
        vector.unpack(free),
        vector.columns_of(hidden),
        cache,
        work,
    )
    value = weights[4]
    if outcome > 0:
        value = weights[3]
    elif outcome < 0:
        value = weights[5]
    if vector.any_cell(own_wins & landing):
        value += weights[2]
    ones, twos = balance(own, other, cells)
    value += weights[0] * ones
    value += weights[1] * twos
    return np.int64(value)
