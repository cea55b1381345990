"""The search of the players without look-ahead: its rollouts, its policies and its kernel.

A node is decided only if a four is on the board or the board is full; a rollout draws columns by
weight until one of these is the case.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.uct.leaf import Outlook
from bots.uct.nodes import DRAWN, OPEN, WON
from bots.uct.tree.memory import TreeMemory
from bots.uct.tree.search import search_on, single_child_policies
from engine import vector
from engine.bits import below_random, step_random
from engine.compiled import lean, lean_kernel


class DrawTables(NamedTuple):
    """The draw tables of all sets of playable columns (masks below ``2 ** columns``)."""

    totals: NDArray[np.uint64]
    """Sum of each set's weights, shape (sets,)."""
    columns: NDArray[np.uint16]
    """Column, as a mask of one bit, for each number below the total: shape (sets, largest total).

    With equal weights, number k selects the k-th column in ascending order."""


def column_weights(rollout: str, columns: int) -> tuple[int, ...]:
    """Return the weights of the columns as small integers.

    ``middle``: 1 + the distance to the nearer edge. ``seven``: max(1, 7 - the distance to the
    centre line), which is between two columns if their number is even.
    """
    last = columns - 1
    if rollout == "random":
        return (1,) * columns
    if rollout == "middle":
        return tuple(1 + min(column, last - column) for column in range(columns))
    doubled = [max(2, 14 - abs(2 * column - last)) for column in range(columns)]
    whole = 2 if all(weight % 2 == 0 for weight in doubled) else 1
    return tuple(weight // whole for weight in doubled)


@lru_cache(maxsize=8)
def draw_tables(rollout: str, columns: int) -> DrawTables:
    """Return the tables of a kind of rollout."""
    weights = np.array(column_weights(rollout, columns))
    sets = np.arange(2**columns)
    # cumulative weights, shape (sets, columns)
    upper = np.cumsum((sets[:, None] >> np.arange(columns) & 1) * weights, axis=1)
    numbers = np.arange(weights.sum())
    drawn = (upper[:, :, None] <= numbers).sum(axis=1)
    return DrawTables(upper[:, -1].astype(np.uint64), (1 << drawn).astype(np.uint16))


class NoLookaheadParameters(NamedTuple):
    """The parameters of a version, as in `bots.uct.settings`, and its rollout tables."""

    flags: int
    c: float
    first_play_visits: int
    first_play_bonus: float
    totals: NDArray[np.uint64]
    """From `DrawTables`."""
    columns: NDArray[np.uint16]
    """From `DrawTables`."""


@lean
def expand(
    outlook: Outlook,
    may_be_over: bool,  # noqa: ARG001 - without look-ahead every node may be
    flags: int,  # noqa: ARG001
) -> tuple[int, int, np.uint64]:
    """Return outcome, distance and columns of a new node, as the expansion of `bots.uct.leaf`."""
    tries = vector.columns_of(outlook.landing)
    if vector.connects(outlook.other):
        return WON, 0, tries
    return (OPEN if tries else DRAWN), 0, tries


@lean
def rollout(
    outlook: Outlook, random: np.uint64, parameters: NoLookaheadParameters
) -> tuple[int, np.uint64]:
    """Return twice the result of a rollout for the side to move, and the generator's state."""
    own, other, occupied, landing, _, _, bottoms, cells = outlook
    second = 0  # 1 while `own` is the side that did not start
    while vector.any_cell(landing):
        random = step_random(random)
        choices = vector.columns_of(landing)
        number = below_random(random, parameters.totals[choices])
        stone = vector.in_columns(landing, np.uint64(parameters.columns[choices, number]))
        own = own | stone
        if vector.connects(own):
            return 2 - 2 * second, random
        occupied = occupied | stone
        landing = vector.playable(occupied, bottoms, cells)
        own, other = other, own
        second = 1 - second
    return 1, random


_search = search_on(vector, single_child_policies(vector, expand, rollout, in_order=True))


@lean_kernel
def search_no_lookahead(
    memory: TreeMemory, parameters: NoLookaheadParameters, simulations: int, descents: int
) -> None:
    """Search without look-ahead, with the arguments of `bots.uct.tree.search.search`."""
    _search(memory, parameters, simulations, descents)
