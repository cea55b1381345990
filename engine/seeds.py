"""Random numbers that are the same on every machine and every version of Python.

SplitMix64 (Steele, Lea and Flood, 2014): a counter with a golden-ratio step and a mixing function.
It is implemented here because games must be replayable from their seeds for years, and because the
compiled kernels use the same generator.
"""

from collections.abc import Sequence
from typing import TypeVar

MASK64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SEED_LIMIT = 1 << 53
"""Seeds are below 2**53, so programs that read JSON numbers as doubles do not round them."""

T = TypeVar("T")


def scramble(value: int) -> int:
    """Apply the finalizer of SplitMix64, a bijection on 64-bit integers."""
    value &= MASK64
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK64
    return value ^ (value >> 31)


def mix(*values: int) -> int:
    """Mix several integers into one 64-bit number; their order matters."""
    state = 0
    for value in values:
        state = scramble(state + GOLDEN + (value & MASK64))
    return state


def derive_seed(*values: int) -> int:
    """Derive a seed below 2**53 from several integers, such as a run's seed and a pair's number."""
    return mix(*values) % SEED_LIMIT


class SplitMix:
    """A stream of 64-bit random numbers from one seed."""

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK64

    def next64(self) -> int:
        """Return the next number, uniform on 0 .. 2**64-1."""
        self._state = (self._state + GOLDEN) & MASK64
        return scramble(self._state)

    def below(self, limit: int) -> int:
        """Return a uniform number in 0 .. limit-1.

        This is the high part of a 64 x 64 bit product (Lemire, 2019), without the rejection step:
        the bias is below limit / 2**64, and every call draws exactly one number.
        """
        return (self.next64() * limit) >> 64

    def choice(self, items: Sequence[T]) -> T:
        """Return a random element of a non-empty sequence."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order (Fisher and Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result
