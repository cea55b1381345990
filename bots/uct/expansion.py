"""Expansion: a new node's outcome and the columns to expand, from both sides' threats."""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.outlook import Outlook
from bots.uct.switches import CAREFUL, FORCED, RIGHT_DISTANCES
from engine.compiled import inlined


def expansion_on(layout: ModuleType) -> Callable[..., tuple[int, int, np.uint64]]:
    """Build the expansion of a node for sets of `engine.lanes` or `engine.vector`.

    The kernel takes the outlook, whether its `other` side may just have connected four, and the
    switches. It returns the outcome for that side, its distance in plies, and the columns to
    expand.
    """
    either, both = layout.either, layout.both
    any_cell, several, columns_of = layout.any_cell, layout.several, layout.columns_of
    playable, connects = layout.playable, layout.connects

    @inlined
    def expand(
        outlook: Outlook,
        may_be_over: bool,
        flags: int,
    ) -> tuple[int, int, np.uint64]:
        landing, other_threats = outlook.landing, outlook.other_threats
        tries = columns_of(landing)
        if may_be_over and connects(outlook.other):
            return WON, 0, tries
        if not tries:
            return DRAWN, 0, tries
        if any_cell(both(landing, outlook.own_threats)):
            return LOST, 1, tries
        if flags & FORCED:
            blocks = both(landing, other_threats)
            if several(blocks):
                return WON, (2 if flags & RIGHT_DISTANCES else 1), tries
            if any_cell(blocks):
                tries = columns_of(blocks)
            if flags & CAREFUL:
                occupied = either(outlook.occupied, landing)
                above = playable(occupied, outlook.bottoms, outlook.cells)
                tries &= ~columns_of(both(above, other_threats))
                if not tries:
                    return WON, 2, tries
        return OPEN, 0, tries

    return expand
