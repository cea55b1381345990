"""First-play values of unvisited children (v20).

An unvisited child takes part in selection with a few virtual visits. Their mean is the parent's for
the other side, plus a bonus for every column with a new winning cell of the mover, or with one that
the opponent would have got with the same move.

Trying the columns one by one would cost a threat map each. The landing cells lie in different
columns, so they can be shifted along a line together, as stones are: an empty cell becomes a threat
by the landing cell at some distance if two stones lie in line with both (`vector.pairs_along`).
Each distance needs its own map, because its lanes refer to columns at that distance.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bots.uct.leaf import Outlook
from bots.uct.nodes import COLUMN, HEAD, UNSEEN, Integer
from bots.uct.parameters import UctParameters
from bots.uct.tree.memory import Tree
from engine import vector
from engine.bits import ONE, popcount64
from engine.compiled import instruction, lean
from engine.vector import SLOPES, STEPS, Register, any_of, pairs_along, register, shifted


@instruction(register, register, register, register)
def _new_threats(builder: Any, stones: Any, landing: Any, wanted: Any) -> Any:
    def count(cells: Any) -> Any:
        used = builder.icmp_unsigned("!=", builder.and_(cells, wanted), vector.NOTHING)
        return builder.zext(used, wanted.type)

    pairs = {slope: pairs_along(builder, stones, slope) for slope in SLOPES}
    on_top = builder.and_(shifted(builder, stones, 0, -2), shifted(builder, stones, 0, -3))
    total = count(builder.and_(shifted(builder, landing, 0, -1), on_top))
    for step in STEPS:
        cells = [
            builder.and_(shifted(builder, landing, step, slope * step), pairs[slope][step])
            for slope in SLOPES
        ]
        counted = count(any_of(builder, cells))
        total = builder.add(total, shifted(builder, counted, -step, 0))
    return total


@instruction(register, register, register)
def _plus(builder: Any, left: Any, right: Any) -> Any:
    return builder.add(left, right)


new_threats: Callable[[Register, Register, Register], Register] = cast("Any", _new_threats)
"""Return the number of new threats in each landing cell's lane.

Arguments: a side's stones, the landing cells (at most one per column), the cells that count. It is
the number of columns with a counted cell that completes four only after the side's stone on that
lane's landing cell.
"""
plus: Callable[[Register, Register], Register] = cast("Any", _plus)
"""Add the numbers in the lanes."""


@lean
def first_play(
    tree: Tree,
    at: Integer,
    k: Integer,
    first: Integer,
    tries: np.uint64,
    outlook: Outlook,
    order: NDArray[np.int64],
    parameters: UctParameters,
) -> None:
    """Fill a block of children with first-play values."""
    own, other, occupied, landing, own_threats, other_threats, _, cells = outlook
    room = np.int64(popcount64(tries))
    tree[first - HEAD] = room | room << 8
    tree[first - 1] = 0
    mean = np.float32(0.5)
    if tree[at] > 0:
        mean = np.float32(1.0) - np.float32(0.5) * np.float32(tree[at + k]) / np.float32(tree[at])
    free = vector.without(cells, occupied | landing)
    made = new_threats(own, landing, vector.without(free, own_threats))
    taken = new_threats(other, landing, vector.without(free, other_threats))
    counts = plus(made, taken)
    scale = np.float32(2 * parameters.first_play_visits)
    child = np.int64(first)
    for i in range(len(order)):
        column = order[i]
        move = ONE << np.uint64(column)
        if not tries & move:
            continue
        value = mean
        # An only child needs no selection.
        if room > 1:
            count = vector.number_in(counts, column)
            value = min(
                mean + np.float32(parameters.first_play_bonus) * np.float32(count), np.float32(1.0)
            )
        tree[child] = parameters.first_play_visits
        tree[child + room] = np.int64(scale * value + np.float32(0.5))
        tree[child + 2 * room] = 0
        tree[child + 3 * room] = column << COLUMN | UNSEEN
        child += 1
