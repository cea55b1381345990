"""The rollout of the fast searches: a random game with one ply of look-ahead.

At each step, for the side to move: an immediate win ends the rollout; else two or more immediate
wins of the opponent end it as a loss; else a single one is blocked; else the move is a random
column, drawn by one step of the generator.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from bots.uct.outlook import Outlook
from engine.bits import below_random, step_random
from engine.compiled import inlined


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
    def rollout(
        outlook: Outlook,
        random: np.uint64,
        careful: bool,
    ) -> tuple[int, np.uint64]:
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
