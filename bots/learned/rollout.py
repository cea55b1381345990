"""The careful rollout of the learned search.

With the same random numbers it plays as `bots.uct.leaf` does. Here a column is chosen without
branches, which no processor could predict.
"""

import numpy as np

from bots.uct.leaf import Outlook
from engine import vector
from engine.bits import ONE, below_random, kth_bit, popcount64, step_random
from engine.compiled import inlined


@inlined
def roll_out(outlook: Outlook, random: np.uint64, keeping: bool) -> tuple[int, np.uint64]:
    """Return twice the result of a careful rollout for the side to move, and the generator.

    Args:
        outlook: the position, in which no side has connected four.
        random: the generator's state.
        keeping: whether a side plays below its own winning cells only without other columns: the
            opponent would fill such a cell.

    """
    own, other, occupied, landing, own_threats, other_threats, bottoms, cells = outlook
    second = 0  # 1 while `own` is the side that did not start
    while True:
        columns = vector.columns_of(landing)
        blocks = vector.columns_of(landing & other_threats)
        above = vector.playable(occupied | landing, bottoms, cells)
        safe = columns & ~vector.columns_of(above & other_threats)
        kept = safe & ~vector.columns_of(above & own_threats)
        if vector.columns_of(landing & own_threats):
            return 2 - 2 * second, random
        if not columns:
            return 1, random
        if keeping:
            safe = kept if kept else safe
        stepped = step_random(random)
        choices = blocks if blocks else safe
        random = random if blocks else stepped
        if not choices or blocks & (blocks - ONE):
            return 2 * second, random
        rank = below_random(random, popcount64(choices))
        stone = vector.in_columns(landing, kth_bit(choices, rank))
        own = own | stone
        occupied = occupied | stone
        landing = vector.playable(occupied, bottoms, cells)
        own_threats, other_threats = other_threats, vector.threats(own)
        own, other = other, own
        second = 1 - second
