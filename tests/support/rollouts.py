"""The rollouts of the searches as separate kernels.

The kernels stand in the module and not in the function that makes their bodies: numba keeps no
machine code of a closure.
"""

from types import ModuleType
from typing import Any

import numpy as np

from bots.learned.search import roll_out as learned_roll_out
from bots.uct.leaf import Outlook, rollout_on
from bots.uct.no_lookahead.search import NoLookaheadParameters
from bots.uct.no_lookahead.search import rollout as _without_look_ahead
from engine import lanes, vector
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray


def _rollouts_on(layout: ModuleType) -> Any:
    rollout = rollout_on(layout)
    load, either, playable, threats = layout.load, layout.either, layout.playable, layout.threats

    @inlined
    def roll_out(
        stones: WordArray, board: WordArray, random: np.uint64, careful: bool
    ) -> tuple[int, np.uint64]:
        own, other = load(stones, MOVER), load(stones, OPPONENT)
        bottoms, cells = load(board, BOTTOMS), load(board, CELLS)
        occupied = either(either(own, other), load(board, FORBIDDEN))
        landing = playable(occupied, bottoms, cells)
        outlook = Outlook(
            own, other, occupied, landing, threats(own), threats(other), bottoms, cells
        )
        return rollout(outlook, random, careful)  # type: ignore[no-any-return]

    return roll_out


_on_registers, _on_words = _rollouts_on(vector), _rollouts_on(lanes)


@kernel
def roll_out_vector(
    stones: WordArray, board: WordArray, random: np.uint64, careful: bool
) -> tuple[int, np.uint64]:
    """Return twice the result of a rollout for the side to move, and the state, on registers."""
    result, state = _on_registers(stones, board, random, careful)
    return result, state


@kernel
def roll_out_plain(
    stones: WordArray, board: WordArray, random: np.uint64, careful: bool
) -> tuple[int, np.uint64]:
    """Return the same as `roll_out_vector`, on 64-bit words."""
    result, state = _on_words(stones, board, random, careful)
    return result, state


@kernel
def roll_out_learned(
    stones: WordArray, board: WordArray, random: np.uint64, keeping: bool
) -> tuple[int, np.uint64]:
    """Return twice the result of a learned search's rollout for the side to move, and the state."""
    own, other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    occupied = own | other | vector.load(board, FORBIDDEN)
    landing = vector.playable(occupied, bottoms, cells)
    own_threats, other_threats = vector.threats(own), vector.threats(other)
    outlook = Outlook(own, other, occupied, landing, own_threats, other_threats, bottoms, cells)
    result, state = learned_roll_out(outlook, random, keeping)
    return result, state


@kernel
def roll_out_without_look_ahead(
    stones: WordArray, board: WordArray, random: np.uint64, parameters: NoLookaheadParameters
) -> tuple[int, np.uint64]:
    """Return twice the result of one rollout for the side to move, and the generator."""
    own, other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    occupied = vector.either(vector.either(own, other), vector.load(board, FORBIDDEN))
    landing = vector.playable(occupied, bottoms, cells)
    outlook = Outlook(own, other, occupied, landing, own, other, bottoms, cells)
    result, state = _without_look_ahead(outlook, random, parameters)
    return result, state
