"""Where a search's random choices start: one state of `engine.bits.step_random` a move."""

import numpy as np

from engine.seeds import mix


def first_state(seed: int, side: int, ply: int) -> np.uint64:
    """The generator's state for one move; never zero, which would be its only fixed point."""
    return np.uint64(mix(seed, side, ply) or 1)
