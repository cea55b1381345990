"""What is expected of children that nobody has looked at yet (v22).

An unseen child takes part in selection with a few imagined visits. Their mean is the parent's, seen
from the other side, and more for every column with a new cell in which its mover would win, or in
which the opponent would have won had the stone been his.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.uct.record import COLUMN, HEAD, UNSEEN, Integer, Tree
from engine.bits import ONE
from engine.compiled import inlined


def expect_on(layout: ModuleType) -> Callable[..., None]:
    """Filling a block of children, on the sets of cells of `engine.lanes` or `engine.vector`."""
    either, both, without = layout.either, layout.both, layout.without
    in_columns, playable, threats = layout.in_columns, layout.playable, layout.threats
    count_columns = layout.count_columns

    @inlined
    def expect(
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
        hint: float,
    ) -> None:
        tree[first - HEAD] = room | room << 8
        tree[first - 1] = 0
        mean = np.float32(0.5)
        if tree[at] > 0:
            mean = np.float32(1.0) - np.float32(0.5) * np.float32(tree[at + k]) / np.float32(
                tree[at]
            )
        landing = playable(occupied, bottoms, cells)
        own_threats = threats(own)
        other_threats = threats(other)
        free = without(cells, either(occupied, landing))
        scale = np.float32(2 * weight)
        child = np.int64(first)
        for column in order:
            move = ONE << np.uint64(column)
            if not tries & move:
                continue
            value = mean
            # An only child needs no comparison.
            if room > 1:
                stone = in_columns(landing, move)
                made = both(without(threats(either(own, stone)), own_threats), free)
                taken = both(without(threats(either(other, stone)), other_threats), free)
                count = count_columns(made) + count_columns(taken)
                value = min(mean + np.float32(hint) * np.float32(count), np.float32(1.0))
            tree[child] = weight
            tree[child + room] = np.int64(scale * value + np.float32(0.5))
            tree[child + 2 * room] = 0
            tree[child + 3 * room] = column << COLUMN | UNSEEN
            child += 1

    return expect
