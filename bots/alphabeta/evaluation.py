"""Static values: links of two and three stones, computed for all columns at once.

A link is two or three adjacent stones of a side in a line, with no further stone of that side at
either end. As long as neither side has four in a line, shifts by one and two cells count them::

    . X X X .      pairs (a stone and its left neighbour)   . . 1 1 .
                   threes (a pair and its left neighbour)   . . . 1 .

so there are as many two-links as pairs, less two for each three.

An end of a link is the cell next to it. It is open if it is empty and the link can become four
through it. A three-link always can; a two-link also needs the cell beyond it, or the other end::

    E X X r    the end E, and r holds no stone of the opponent and is not forbidden
    E X X e    the end E, and e is empty: E and e together make four

A vertical link has one end, above it.
"""

from collections.abc import Callable
from typing import Any

from numba import types

from engine.compiled import inlined, instruction
from engine.vector import (
    NOTHING,
    Register,
    broadcast,
    playable,
    popcounts,
    register,
    shifted,
    sum_of,
    without,
)

_SLANTED = ((1, 0), (1, 1), (1, -1))
_UPRIGHT = (0, 1)


def _weighted(builder: Any, counts: Any, weight: Any) -> Any:
    return builder.mul(counts, broadcast(builder, weight))


def _count_links(builder: Any, stones: Any) -> tuple[Any, Any]:
    """Return the two-links and three-links that end in each column."""
    pairs_in_all, threes_in_all = NOTHING, NOTHING
    for columns, rows in (*_SLANTED, _UPRIGHT):
        pairs = builder.and_(stones, shifted(builder, stones, -columns, -rows))
        threes = builder.and_(pairs, shifted(builder, pairs, -columns, -rows))
        pairs_in_all = builder.add(pairs_in_all, popcounts(builder, pairs))
        threes_in_all = builder.add(threes_in_all, popcounts(builder, threes))
    twice = builder.add(threes_in_all, threes_in_all)
    return builder.sub(pairs_in_all, twice), threes_in_all


def _count_ends(builder: Any, stones: Any, room: Any, free: Any, ends: Any) -> tuple[Any, Any]:
    """Return the open ends of two-links and of three-links in each column.

    Args:
        builder: the LLVM instruction builder.
        stones: the side's stones.
        room: the cells without a stone of the opponent, without the forbidden cell.
        free: the empty cells.
        ends: the empty cells that count as ends.

    """
    twos_in_all, threes_in_all = NOTHING, NOTHING
    back = [(-columns, -rows) for columns, rows in _SLANTED]
    for columns, rows in (*_SLANTED, *back, _UPRIGHT):
        one, two, three = (shifted(builder, stones, -k * columns, -k * rows) for k in (1, 2, 3))
        pair = builder.and_(builder.and_(one, two), ends)
        longer = builder.and_(pair, three)
        beyond = shifted(builder, room, columns, rows)
        other_end = shifted(builder, free, -3 * columns, -3 * rows)
        shorter = builder.and_(builder.xor(pair, longer), builder.or_(beyond, other_end))
        twos_in_all = builder.add(twos_in_all, popcounts(builder, shorter))
        threes_in_all = builder.add(threes_in_all, popcounts(builder, longer))
    return twos_in_all, threes_in_all


def _difference(builder: Any, own: Any, other: Any, two: Any, three: Any) -> Any:
    twos = _weighted(builder, builder.sub(own[0], other[0]), two)
    threes = _weighted(builder, builder.sub(own[1], other[1]), three)
    return sum_of(builder, builder.add(twos, threes))


@instruction(types.int64, register, register, types.int64, types.int64)
def _links(builder: Any, own: Any, other: Any, two: Any, three: Any) -> Any:
    own_links, other_links = (_count_links(builder, stones) for stones in (own, other))
    return _difference(builder, own_links, other_links, two, three)


@instruction(types.int64, register, register, register, register, types.int64, types.int64)
def _open_ends(
    builder: Any, own: Any, other: Any, free: Any, ends: Any, two: Any, three: Any
) -> Any:
    own_ends, other_ends = (
        _count_ends(builder, stones, builder.or_(stones, free), free, ends)
        for stones in (own, other)
    )
    return _difference(builder, own_ends, other_ends, two, three)


@instruction(register, register)
def _with_above(builder: Any, cells: Any) -> Any:
    return builder.or_(cells, shifted(builder, cells, 0, -1))


links: Callable[[Register, Register, int, int], int] = _links
"""Return the weighted number of links of the first side less that of the second.

Arguments: own, other, weight of a two-link, weight of a three-link.
"""
open_ends: Callable[[Register, Register, Register, Register, int, int], int] = _open_ends
"""Return the weighted number of open ends of the first side less that of the second.

Arguments: own, other, free cells, cells that count as ends, weight of an end of a two-link, of a
three-link.
"""
with_above: Callable[[Register], Register] = _with_above
"""Return the cells of a set and those directly above them."""


@inlined
def evaluate(own: Register, other: Register, board: Any, parameters: Any) -> int:
    """Return the static value of a position for the side that owns the first stones.

    Contract: neither side has four in a line.

    Args:
        own: the stones of one side.
        other: the stones of the opponent.
        board: the lowest cells of all columns, the cells that stones can occupy, the forbidden one.
        parameters: the version's `bots.alphabeta.search.AlphaBetaParameters`.

    """
    if not parameters.ends:
        return links(own, other, parameters.two, parameters.three)
    bottoms, cells, forbidden = board
    occupied = own | other | forbidden
    free = without(cells, occupied)
    ends = free
    if parameters.reach > 0:
        near = playable(occupied, bottoms, cells)
        for _ in range(parameters.reach):
            near = with_above(near)
        ends = free & near
    return open_ends(own, other, free, ends, parameters.two, parameters.three)
