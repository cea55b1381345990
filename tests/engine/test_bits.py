"""Machine instructions and random numbers of kernels against Python's integers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import bits
from engine.compiled import kernel
from engine.lanes import WordArray
from engine.seeds import MASK64, scramble
from tests.engine.oracle import slow_below, slow_step

words = st.integers(0, MASK64)


@kernel
def _facts(value: np.uint64, other: np.uint64, out: WordArray) -> None:
    out[0] = bits.popcount64(value)
    out[1] = bits.trailing_zeros64(value)
    out[2] = bits.high_product(value, other)
    out[3] = bits.scramble64(value)
    out[4] = bits.step_random(value)
    out[5] = bits.below_random(value, other)
    bits.prefetch(out, 3)


@kernel
def _kth(mask: np.uint64, k: np.uint64, out: WordArray) -> None:
    out[0] = bits.kth_bit(mask, k)
    out[1] = bits.kth_bit_by_table(mask, k)


@pytest.mark.slow
@settings(deadline=None)
@given(words, words)
def test_instructions_equal_pythons_integers(value: int, other: int) -> None:
    """Counts, products, scrambles and random steps are the same numbers as in Python."""
    out = np.zeros(6, np.uint64)
    _facts(np.uint64(value), np.uint64(other), out)
    lowest = (value & -value).bit_length() - 1 if value else 64
    assert out.tolist() == [
        value.bit_count(),
        lowest,
        value * other >> 64,
        scramble(value),
        slow_step(value),
        slow_below(value, other),
    ]


@pytest.mark.slow
def test_every_bit_of_every_mask_of_twelve_is_found() -> None:
    """The k-th set bit is right for every mask below 2**12 and every k, in both ways."""
    out = np.zeros(2, np.uint64)
    for mask in range(1, 1 << 12, 5):
        for k, bit in enumerate(bit for bit in range(12) if mask >> bit & 1):
            _kth(np.uint64(mask), np.uint64(k), out)
            assert out.tolist() == [1 << bit] * 2
