"""First-play values of unvisited children (v20).

An unvisited child takes part in selection with a few virtual visits. Their mean is the parent's for
the other side, plus a bonus for every column with a new winning cell of the mover, or with one that
the opponent would have got with the same move.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.uct.nodes import COLUMN, HEAD, UNSEEN, Integer
from bots.uct.tree.layout import Tree
from engine.bits import ONE
from engine.compiled import inlined
from engine.gains import new_threats_on


def first_play_on(layout: ModuleType) -> Callable[..., None]:
    """Build a kernel that fills a block of children with first-play values.

    The layout is `engine.lanes` or `engine.vector`.
    """
    either, without, plus = layout.either, layout.without, layout.plus
    playable, threats, number_in = layout.playable, layout.threats, layout.number_in
    new_threats = new_threats_on(layout)

    @inlined
    def first_play(
        tree: Tree,
        at: Integer,
        k: Integer,
        first: Integer,
        room: Integer,
        tries: np.uint64,
        own: Any,
        other: Any,
        occupied: Any,
        bottoms: Any,
        cells: Any,
        order: NDArray[np.int64],
        weight: int,
        bonus: float,
    ) -> None:
        tree[first - HEAD] = room | room << 8
        tree[first - 1] = 0
        mean = np.float32(0.5)
        if tree[at] > 0:
            mean = np.float32(1.0) - np.float32(0.5) * np.float32(tree[at + k]) / np.float32(
                tree[at]
            )
        landing = playable(occupied, bottoms, cells)
        free = without(cells, either(occupied, landing))
        made = new_threats(own, landing, without(free, threats(own)))
        taken = new_threats(other, landing, without(free, threats(other)))
        counts = plus(made, taken)
        scale = np.float32(2 * weight)
        child = np.int64(first)
        for i in range(len(order)):
            column = order[i]
            move = ONE << np.uint64(column)
            if not tries & move:
                continue
            value = mean
            # An only child needs no selection.
            if room > 1:
                count = number_in(counts, column)
                value = min(mean + np.float32(bonus) * np.float32(count), np.float32(1.0))
            tree[child] = weight
            tree[child + room] = np.int64(scale * value + np.float32(0.5))
            tree[child + 2 * room] = 0
            tree[child + 3 * room] = column << COLUMN | UNSEEN
            child += 1

    return first_play
