"""Random games with one ply of look-ahead, the evaluation of the tree searches.

At each step, for the side to move: an immediate win ends the rollout as a win; else two or more
wins of the opponent end it as a loss; else the one win of the opponent is blocked; else a random
column that is not full takes a stone, with one draw of the generator and the k-th column in
ascending order.

Written once and built twice: `roll_out` on vector registers, `roll_out_plain` on 64-bit words.
Both play the same games from the same random state.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias, cast

import numpy as np

from engine import lanes, vector
from engine.bits import below_random, step_random
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray

LOSS, DRAW, WIN = range(3)
"""Twice the result for the side to move where the rollout starts."""

Outcome: TypeAlias = tuple[int, int, np.uint64]
"""Twice the result, the stones dropped, the random state to go on with."""


def _roll_out_on(layout: ModuleType) -> Callable[..., Outcome]:
    """The rollout on the sets of cells of `engine.lanes` or `engine.vector`."""
    either, both, any_cell, several = layout.either, layout.both, layout.any_cell, layout.several
    count_columns, kth_cell = layout.count_columns, layout.kth_cell
    playable, threats = layout.playable, layout.threats

    @inlined
    def roll_out(
        own: Any,
        other: Any,
        forbidden: Any,
        bottoms: Any,
        cells: Any,
        avoid_above: bool,
        state: np.uint64,
    ) -> Outcome:
        own_threats = threats(own)
        other_threats = threats(other)
        occupied = either(either(own, other), forbidden)
        landing = playable(occupied, bottoms, cells)
        second = 0  # 1 while `own` is the side that did not start
        plies = 0
        while any_cell(landing):
            if any_cell(both(landing, own_threats)):
                return WIN - 2 * second, plies, state
            blocks = both(landing, other_threats)
            if several(blocks):
                return LOSS + 2 * second, plies, state
            # Two branches rather than a choice of values: the processor guesses most of them
            # right and starts the next ply before this one is known.
            if any_cell(blocks):
                own = either(own, blocks)
                occupied = either(occupied, blocks)
                landing = playable(occupied, bottoms, cells)
            else:
                state = step_random(state)
                choice = kth_cell(landing, below_random(state, count_columns(landing)))
                own = either(own, choice)
                occupied = either(occupied, choice)
                landing = playable(occupied, bottoms, cells)
                # nothing was to be blocked before, so such a cell lies above the new stone
                if avoid_above and any_cell(both(landing, other_threats)):
                    return LOSS + 2 * second, plies + 1, state
            own_threats, other_threats = other_threats, threats(own)
            own, other = other, own
            second = 1 - second
            plies += 1
        return DRAW, plies, state

    return cast("Callable[..., Outcome]", roll_out)


roll_out = _roll_out_on(vector)
"""One rollout on `engine.vector.Lanes`, for use inside kernels.

Arguments: own, other (stones of the side to move and of its opponent), forbidden, bottoms, cells
(the rows of `engine.lanes.board_words`), avoid_above, state (as `engine.bits.step_random` takes
it). Returns an `Outcome` for the side to move. Four stones already on the board are not looked
for: the game goes on as if they were not there.

`avoid_above` is the rule of the first versions: when the opponent could win directly above the
random stone, the rollout ends at once as a loss. The opponent's next step would find that win, so
the rule saves a step and changes no result.
"""

roll_out_plain = _roll_out_on(lanes)
"""As `roll_out` on `engine.lanes.Words`."""


@kernel
def roll_out_many(
    stones: WordArray, board: WordArray, count: int, avoid_above: bool, state: np.uint64
) -> Outcome:
    """The sums of `count` rollouts from one position, on vector registers.

    Args:
        stones: shape (2, 3), from `engine.lanes.stone_words`.
        board: shape (3, 3), from `engine.lanes.board_words`.
        count: how many.
        avoid_above: see `roll_out`.
        state: from `engine.bits.start_random`, never 0.

    Returns:
        Twice the points of the side to move, all stones dropped, the random state.

    """
    own, other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    forbidden = vector.load(board, FORBIDDEN)
    points2, plies = 0, 0
    for _ in range(count):
        result, length, state = roll_out(own, other, forbidden, bottoms, cells, avoid_above, state)
        points2 += result
        plies += length
    return points2, plies, state


@kernel
def roll_out_many_plain(
    stones: WordArray, board: WordArray, count: int, avoid_above: bool, state: np.uint64
) -> Outcome:
    """As `roll_out_many` on 64-bit words."""
    own, other = lanes.load(stones, MOVER), lanes.load(stones, OPPONENT)
    bottoms, cells = lanes.load(board, BOTTOMS), lanes.load(board, CELLS)
    forbidden = lanes.load(board, FORBIDDEN)
    points2, plies = 0, 0
    for _ in range(count):
        result, length, state = roll_out_plain(
            own, other, forbidden, bottoms, cells, avoid_above, state
        )
        points2 += result
        plies += length
    return points2, plies, state
