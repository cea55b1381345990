"""A new leaf of a fast search: its outcome, the columns to expand, and its rollout.

At each step of a rollout, for the side to move: an immediate win ends it; else two or more
immediate wins of the opponent end it as a loss; else a single one is blocked; else the move is a
random column, drawn by one step of the generator.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from bots.uct.nodes import DRAWN, LOST, OPEN, WON
from bots.uct.parameters import CAREFUL, FORCED, RIGHT_DISTANCES
from engine.bits import below_random, step_random
from engine.compiled import inlined


class Outlook(NamedTuple):
    """A position and its threats as sets of `engine.lanes` or `engine.vector`.

    A search has most of these sets when it makes a node, so they are not computed again.
    """

    own: Any
    """Stones of the side to move."""
    other: Any
    occupied: Any
    """All stones and the forbidden cell."""
    landing: Any
    """Landing cells."""
    own_threats: Any
    """Cells that complete a four of the side to move."""
    other_threats: Any
    bottoms: Any
    """Lowest cell of each column."""
    cells: Any
    """Cells of the board."""


def look_on(layout: ModuleType) -> Callable[..., Outlook]:
    """Build the outlook from stones and board, for sets of `engine.lanes` or `engine.vector`."""
    playable, threats = layout.playable, layout.threats

    @inlined
    def look(own: Any, other: Any, occupied: Any, bottoms: Any, cells: Any) -> Outlook:
        landing = playable(occupied, bottoms, cells)
        return Outlook(own, other, occupied, landing, threats(own), threats(other), bottoms, cells)

    return look


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
    def expand(outlook: Outlook, may_be_over: bool, flags: int) -> tuple[int, int, np.uint64]:
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


def rollout_on(layout: ModuleType) -> Callable[..., tuple[int, np.uint64]]:
    """Build the rollout for sets of `engine.lanes` or `engine.vector`.

    The kernel takes the outlook, the generator's state, and whether to play carefully. It returns
    twice the result for the side to move, and the state. It does not detect a four that is already
    on the board.

    A careful rollout never plays below a cell in which the opponent would win; if no other move is
    left, the position counts as lost.
    """
    either, both = layout.either, layout.both
    any_cell, several = layout.any_cell, layout.several
    count_columns, kth_cell = layout.count_columns, layout.kth_cell
    playable, threats = layout.playable, layout.threats
    columns_of, in_columns = layout.columns_of, layout.in_columns

    @inlined
    def rollout(outlook: Outlook, random: np.uint64, careful: bool) -> tuple[int, np.uint64]:
        own, other, occupied, landing, own_threats, other_threats, bottoms, cells = outlook
        second = 0  # 1 while `own` is the side that did not start
        while any_cell(landing):
            if any_cell(both(landing, own_threats)):
                return 2 - 2 * second, random
            blocks = both(landing, other_threats)
            if several(blocks):
                return 2 * second, random
            if any_cell(blocks):
                own = either(own, blocks)
                occupied = either(occupied, blocks)
            else:
                random = step_random(random)
                choices = landing
                if careful:
                    above = playable(either(occupied, landing), bottoms, cells)
                    under = columns_of(both(above, other_threats))
                    if under:
                        choices = in_columns(landing, ~under)
                        if not any_cell(choices):
                            return 2 * second, random
                choice = kth_cell(choices, below_random(random, count_columns(choices)))
                own = either(own, choice)
                occupied = either(occupied, choice)
            landing = playable(occupied, bottoms, cells)
            own_threats, other_threats = other_threats, threats(own)
            own, other = other, own
            second = 1 - second
        return 1, random

    return rollout
