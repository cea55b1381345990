"""Expansion: the outcome of a new node and the columns to expand, read from both sides' threats."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.switches import CAREFUL, FORCED, RIGHT_DISTANCES
from engine.compiled import inlined


def expansion_on(layout: ModuleType) -> Callable[..., tuple[int, int, np.uint64]]:
    """The expansion of a node on the sets of cells of `engine.lanes` or `engine.vector`.

    Arguments of the kernel: other (the stones of the node's mover), occupied, landing, the threats
    of the side to move and of the mover, bottoms, cells, whether the mover may just have connected
    four, and the switches. Returns the outcome for the mover, its distance in plies, and the
    columns to expand.
    """
    either, both = layout.either, layout.both
    any_cell, several, columns_of = layout.any_cell, layout.several, layout.columns_of
    playable, connects = layout.playable, layout.connects

    @inlined
    def expand(
        other: Any,
        occupied: Any,
        landing: Any,
        own_threats: Any,
        other_threats: Any,
        bottoms: Any,
        cells: Any,
        may_be_over: bool,
        flags: int,
    ) -> tuple[int, int, np.uint64]:
        tries = columns_of(landing)
        if may_be_over and connects(other):
            return WON, 0, tries
        if not tries:
            return DRAWN, 0, tries
        if any_cell(both(landing, own_threats)):
            return LOST, 1, tries
        if flags & FORCED:
            blocks = both(landing, other_threats)
            if several(blocks):
                return WON, (2 if flags & RIGHT_DISTANCES else 1), tries
            if any_cell(blocks):
                tries = columns_of(blocks)
            if flags & CAREFUL:
                above = playable(either(occupied, landing), bottoms, cells)
                tries &= ~columns_of(both(above, other_threats))
                if not tries:
                    return WON, 2, tries
        return OPEN, 0, tries

    return expand
