"""The search of the players without look-ahead: its rollouts, its leaves, and its kernel.

A node is decided only when a four is on the board or the board is full; a rollout draws columns by
weight until one of these happens.
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.uct.outcome import DRAWN, OPEN, WON
from bots.uct.tree.search import (
    Pieces,
    search_on,
)
from engine import vector
from engine.bits import below_random, step_random
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray


class BlindDials(NamedTuple):
    """The numbers of a version, as `bots.uct.switches.Dials`, with the tables of its rollouts."""

    c: float
    expect: int
    hint: float
    totals: NDArray[np.uint64]
    """See `bots.uct.no_lookahead.column_weights.Draws`, as `columns`."""
    columns: NDArray[np.uint16]


def blind_on(layout: ModuleType) -> Pieces:
    """The pieces on the sets of cells of `engine.lanes` or `engine.vector`."""
    either, any_cell, connects = layout.either, layout.any_cell, layout.connects
    playable, columns_of, in_columns = layout.playable, layout.columns_of, layout.in_columns

    @inlined
    def first_sight(
        other: Any,
        occupied: Any,  # noqa: ARG001 - all searches pass the same
        landing: Any,
        own_threats: Any,  # noqa: ARG001
        other_threats: Any,  # noqa: ARG001
        bottoms: Any,  # noqa: ARG001
        cells: Any,  # noqa: ARG001
        may_be_over: bool,  # noqa: ARG001 - without look-ahead every node may be
        flags: int,  # noqa: ARG001
    ) -> tuple[int, int, np.uint64]:
        tries = columns_of(landing)
        if connects(other):
            return WON, 0, tries
        return (OPEN if tries else DRAWN), 0, tries

    @inlined
    def roll(
        own: Any,
        other: Any,
        occupied: Any,
        landing: Any,
        own_threats: Any,  # noqa: ARG001
        other_threats: Any,  # noqa: ARG001
        bottoms: Any,
        cells: Any,
        random: np.uint64,
        dials: BlindDials,
    ) -> tuple[int, np.uint64]:
        second = 0  # 1 while `own` is the side that did not start
        while any_cell(landing):
            random = step_random(random)
            choices = columns_of(landing)
            number = below_random(random, dials.totals[choices])
            stone = in_columns(landing, np.uint64(dials.columns[choices, number]))
            own = either(own, stone)
            if connects(own):
                return 2 - 2 * second, random
            occupied = either(occupied, stone)
            landing = playable(occupied, bottoms, cells)
            own, other = other, own
            second = 1 - second
        return 1, random

    return Pieces(first_sight, roll, in_order=True)


_PIECES = blind_on(vector)
_search = search_on(vector, _PIECES)
_roll = _PIECES.roll


@kernel
def search_blind(
    stones: WordArray,
    board: WordArray,
    tree: NDArray[np.int32],
    path: NDArray[np.int32],
    counters: NDArray[np.uint64],
    flags: int,
    dials: BlindDials,
    order: NDArray[np.int64],
    simulations: int,
    descents: int,
) -> None:
    """As `bots.uct.tree.search.search`, without look-ahead."""
    _search(stones, board, tree, path, counters, flags, dials, order, simulations, descents)


@kernel
def roll_out(
    stones: WordArray, board: WordArray, random: np.uint64, dials: BlindDials
) -> tuple[int, np.uint64]:
    """One rollout from a position that is not over; for tests and measurements.

    Returns:
        Twice the result for the side to move, and the generator's state.

    """
    own, other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    occupied = vector.either(vector.either(own, other), vector.load(board, FORBIDDEN))
    landing = vector.playable(occupied, bottoms, cells)
    points, state = _roll(own, other, occupied, landing, own, other, bottoms, cells, random, dials)
    return points, state
