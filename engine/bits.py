"""Machine instructions and random numbers for kernels.

Everything here is called from inside `@kernel` functions on `numpy.uint64` values; numba turns a
mix of signed and unsigned 64-bit integers into floats, so kernels keep to unsigned constants.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types

from engine.compiled import inlined, instruction, numba_targets_another_cpu
from engine.seeds import mix

U64 = np.uint64

ZERO = U64(0)
ONE = U64(1)

_I64 = ir.IntType(64)
_I128 = ir.IntType(128)


@instruction(types.uint64, types.uint64)
def _popcount64(builder: Any, value: Any) -> Any:
    return builder.ctpop(value)


@instruction(types.uint64, types.uint64)
def _trailing_zeros64(builder: Any, value: Any) -> Any:
    return builder.cttz(value, ir.Constant(ir.IntType(1), 0))


@instruction(types.uint64, types.uint64)
def _leading_zeros64(builder: Any, value: Any) -> Any:
    return builder.ctlz(value, ir.Constant(ir.IntType(1), 0))


@instruction(types.uint64, types.uint64, types.uint64)
def _high_product(builder: Any, left: Any, right: Any) -> Any:
    product = builder.mul(builder.zext(left, _I128), builder.zext(right, _I128))
    return builder.trunc(builder.lshr(product, ir.Constant(_I128, 64)), _I64)


@instruction(types.void, None, types.intp)
def _prefetch(builder: Any, data: Any, index: Any) -> None:
    item = builder.bitcast(builder.gep(data, [index]), ir.IntType(8).as_pointer())
    i32 = ir.IntType(32)
    function = builder.module.declare_intrinsic(
        "llvm.prefetch", [item.type], ir.FunctionType(ir.VoidType(), [item.type, i32, i32, i32])
    )
    # read (0), keep in all cache levels (3), data rather than code (1)
    builder.call(function, [item, ir.Constant(i32, 0), ir.Constant(i32, 3), ir.Constant(i32, 1)])


popcount64: Callable[[np.uint64], np.uint64] = _popcount64
"""Return the number of set bits."""
trailing_zeros64: Callable[[np.uint64], np.uint64] = _trailing_zeros64
"""Return the number of the lowest set bit, counted from 0; 64 for 0."""
leading_zeros64: Callable[[np.uint64], np.uint64] = _leading_zeros64
"""Return the number of clear bits above the highest set bit; 64 for 0."""
high_product: Callable[[np.uint64, np.uint64], np.uint64] = _high_product
"""Return the upper 64 bits of a 64 x 64 bit product."""
prefetch: Callable[[Any, int | np.int64], None] = _prefetch
"""Prefetch item `index` of a contiguous one-dimensional array into the cache.

No bounds are checked and nothing is read: a wrong index is harmless.
"""


def _selections() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    table = np.zeros(64 * 8, np.uint8)
    for mask in range(64):
        for k, bit in enumerate(bit for bit in range(6) if mask >> bit & 1):
            table[mask * 8 + k] = bit
    return table


_SELECTION = _selections()
"""Entry 8 * mask + k: the number of the k-th set bit of a 6-bit mask."""
_SIX = U64(6)
_LOW_SIX = U64(63)
_EIGHT = U64(8)


@inlined
def kth_bit_by_table(mask: np.uint64, k: np.uint64) -> np.uint64:
    """Return the k-th set bit of a mask below 2**12 as a mask of one bit, on any processor.

    There is no loop, because its exit would be mispredicted: a table of 512 bytes serves both
    halves of six bits.
    """
    low = mask & _LOW_SIX
    in_low = popcount64(low)
    upper = k >= in_low
    half = mask >> _SIX if upper else low
    rank = k - in_low if upper else k
    base = _SIX if upper else ZERO
    return ONE << (U64(_SELECTION[half * _EIGHT + rank]) + base)


@instruction(types.uint64, types.uint64, types.uint64)
def _deposit(builder: Any, value: Any, mask: Any) -> Any:
    form = ir.FunctionType(_I64, [_I64, _I64])
    function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", [], form)
    return builder.call(function, [value, mask])


@inlined
def kth_bit_by_deposit(mask: np.uint64, k: np.uint64) -> np.uint64:
    """Return the k-th set bit of a mask as a mask of one bit, with the instruction PDEP.

    PDEP deposits the low bits of a value at the set bits of a mask, in order::

        mask      . 1 . . 1 1 . 1
        1 << 2    . . . . . 1 . .     0th, 1st, 2nd set bit get 0, 0, 1
        result    . . . . 1 . . .
    """
    bit: np.uint64 = _deposit(ONE << k, mask)
    return bit


def has_fast_deposit() -> bool:
    """Return whether this processor has a fast PDEP; Zen 1 and 2 have a slow one."""
    if numba_targets_another_cpu() or not binding.get_host_cpu_features().get("bmi2"):
        return False
    return binding.get_host_cpu_name() not in ("znver1", "znver2")


kth_bit = kth_bit_by_deposit if has_fast_deposit() else kth_bit_by_table
"""Return the k-th set bit (from 0 at the lowest) of a mask below 2**12 as a mask of one bit.

Contract: k < popcount(mask).
"""


_SCRAMBLE_1 = U64(0xBF58476D1CE4E5B9)
_SCRAMBLE_2 = U64(0x94D049BB133111EB)
_S30 = U64(30)
_S27 = U64(27)
_S31 = U64(31)


@inlined
def scramble64(value: np.uint64) -> np.uint64:
    """Apply the finalizer of SplitMix64: `engine.seeds.scramble` for kernels."""
    value = (value ^ (value >> _S30)) * _SCRAMBLE_1
    value = (value ^ (value >> _S27)) * _SCRAMBLE_2
    return value ^ (value >> _S31)


_S12 = U64(12)
_S25 = U64(25)
_STAR = U64(0x2545F4914F6CDD1D)


def state_of_move(seed: int, side: int, ply: int) -> np.uint64:
    """Return the generator's state at the start of a move; never 0, which is a fixed point.

    Args:
        seed: the game's seed, below 2**53.
        side: the side to move, 0 or 1.
        ply: number of stones on the board.

    """
    return U64(mix(seed, side, ply) or 1)


@inlined
def step_random(state: np.uint64) -> np.uint64:
    """Return the next state of xorshift64* (Vigna, 2016); only 0 leads to 0."""
    state ^= state >> _S12
    state ^= state << _S25
    return state ^ (state >> _S27)


@inlined
def below_random(state: np.uint64, limit: np.uint64) -> np.uint64:
    """Return a uniform number in 0 .. limit-1 from a state that was just stepped.

    It is the high part of a 64 x 64 bit product (Lemire, 2019), as in `SplitMix.below`.
    """
    return high_product(state * _STAR, limit)
