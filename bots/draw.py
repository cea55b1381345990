"""The generator of random choices inside the compiled kernels: xorshift64* (Vigna, 2016).

One draw is three shifts and a product; the high half of the product picks among a few columns.
Kernels keep the state in a variable and hand it back, so that a search can go on in chunks.
"""

import numpy as np

from engine.compiled import kernel
from engine.seeds import mix

_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
_A, _B, _C, _HALF = np.uint64(12), np.uint64(25), np.uint64(27), np.uint64(32)


def first_state(seed: int, side: int, ply: int) -> np.uint64:
    """The generator's state for one move; never zero, which would be its only fixed point."""
    return np.uint64(mix(seed, side, ply) or 1)


@kernel
def advance(state: np.uint64) -> np.uint64:
    """The next state."""
    state ^= state >> _A
    state ^= state << _B
    state ^= state >> _C
    return state


@kernel
def below(state: np.uint64, limit: int) -> int:
    """A number in 0 .. limit-1 from an advanced state (the bias is below limit / 2**32)."""
    return np.int64((((state * _MULTIPLIER) >> _HALF) * np.uint64(limit)) >> _HALF)
