"""The rollout of the tree and graph searches as kernels of its own."""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from bots.uct.rollout import playout_on
from engine import lanes, vector
from engine.compiled import kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray

RollOut = Callable[[WordArray, WordArray, np.uint64, bool, int], tuple[int, np.uint64]]
"""Stones, board, generator, whether careful, how many: the sum of twice their results for the side
to move, and the generator."""


def _roll_out_on(layout: ModuleType) -> RollOut:
    rollout = playout_on(layout)
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
