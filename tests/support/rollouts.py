"""The rollouts of the searches as kernels of their own."""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from bots.uct.no_lookahead.search import NoLookaheadParameters, no_lookahead_policies
from bots.uct.rollout import rollout_on
from engine import lanes, vector
from engine.compiled import kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray

RollOut = Callable[[WordArray, WordArray, np.uint64, bool, int], tuple[int, np.uint64]]
"""Stones, board, generator, whether careful, how many: the sum of twice their results for the side
to move, and the generator."""


def _roll_out_on(layout: ModuleType) -> RollOut:
    rollout = rollout_on(layout)
    load, either, playable, threats = layout.load, layout.either, layout.playable, layout.threats

    @kernel
    def roll_out(
        stones: WordArray, board: WordArray, random: np.uint64, careful: bool, count: int
    ) -> tuple[int, np.uint64]:
        own, other = load(stones, MOVER), load(stones, OPPONENT)
        bottoms, cells = load(board, BOTTOMS), load(board, CELLS)
        occupied = either(either(own, other), load(board, FORBIDDEN))
        landing = playable(occupied, bottoms, cells)
        total = 0
        for _ in range(count):
            result, random = rollout(
                own,
                other,
                occupied,
                landing,
                threats(own),
                threats(other),
                bottoms,
                cells,
                random,
                careful,
            )
            total += result
        return total, random

    return roll_out


roll_out_vector = _roll_out_on(vector)
roll_out_plain = _roll_out_on(lanes)

_without_look_ahead = no_lookahead_policies(vector).rollout


@kernel
def roll_out_without_look_ahead(
    stones: WordArray, board: WordArray, random: np.uint64, parameters: NoLookaheadParameters
) -> tuple[int, np.uint64]:
    """Twice the result of one rollout for the side to move, and the generator."""
    own, other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    occupied = vector.either(vector.either(own, other), vector.load(board, FORBIDDEN))
    landing = vector.playable(occupied, bottoms, cells)
    return _without_look_ahead(
        own, other, occupied, landing, own, other, bottoms, cells, random, parameters
    )
