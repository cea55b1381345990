"""The transposition table for boards in one word: eight entries of 64 bits per cache line.

The key of a position has `bits` = (rows + 1) * columns bits. A bijection, `mixed`, scatters it over
the same range: the upper `index` bits choose the line, the others are stored in the entry, so a hit
is always the same position. The functions take mixed keys::

    entry    | rest of the scattered key | work | high + 32 | low + 32 |
               bits - index bits           ...    6 bits      6 bits

`low` and `high` bound the score; an empty entry is 0. `work` is about the logarithm of the nodes
that were spent on the entry: the cheapest of a line is replaced.

Threads share the table without locks: the processor reads and writes an entry, one word, as a
whole.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from engine.bits import ONE, U64, ZERO, prefetch, trailing_zeros64
from engine.compiled import instruction, lean
from engine.lanes import WordArray
from engine.solver.memory import bounds_on

LINE = 8
"""Entries per cache line."""
ENTRY = 1
"""Words per entry."""
LINE_WORDS = LINE * ENTRY
BOUND_BITS = 12
MOST_WORK_BITS = 6
pack_bounds, low_of, high_of = bounds_on(6)
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_ENTRIES = ir.VectorType(_I64, LINE)
_BOUND_BITS = U64(BOUND_BITS)
_BOUNDS = U64(0xFFF)
_ODD = U64(0x9E3779B97F4A7C15)


@lean
def mixed(key: np.uint64, shape: WordArray) -> np.uint64:
    """Scatter a key by a bijection; `shape` is (bits of a key, index bits, work bits)."""
    bits = shape[0]
    mask = ~ZERO >> (U64(64) - bits)
    half = (bits + ONE) >> ONE
    key ^= key >> half
    key = (key * _ODD) & mask
    key ^= key >> half
    result: np.uint64 = (key * _ODD) & mask
    return result


@lean
def line_of(key: np.uint64, shape: WordArray) -> np.int64:
    """Return the place of the mixed key's line."""
    return np.int64((key >> (shape[0] - shape[1])) + shape[3]) * LINE


@lean
def fetch(table: WordArray, line: np.int64) -> None:
    """Prefetch a line into the cache."""
    prefetch(table, line)


def _of_all(builder: Any, value: Any) -> Any:
    first = builder.insert_element(ir.Constant(_ENTRIES, ir.Undefined), value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_I32, LINE), [0] * LINE))


@instruction(types.uint64, None, types.intp, types.uint64, types.uint64)
def _equal_entries(builder: Any, data: Any, line: Any, shift: Any, rest: Any) -> Any:
    place = builder.bitcast(builder.gep(data, [line]), _ENTRIES.as_pointer())
    own = builder.lshr(builder.load(place, align=8), _of_all(builder, shift))
    equal = builder.icmp_unsigned("==", own, _of_all(builder, rest))
    return builder.zext(builder.bitcast(equal, ir.IntType(LINE)), _I64)


_equal: Callable[[WordArray, np.int64, np.uint64, np.uint64], np.uint64] = _equal_entries
"""Return the entries of a line whose bits from `shift` on are `rest`, bit n for entry n."""


@lean
def _rest(key: np.uint64, shape: WordArray) -> np.uint64:
    """Return the part of a mixed key that is stored in its entry."""
    rest: np.uint64 = key & (~ZERO >> (U64(64) - (shape[0] - shape[1])))
    return rest


@lean
def bounds_at(table: WordArray, place: np.int64, key: np.uint64, shape: WordArray) -> np.int64:
    """Return the bounds of a position, 0 if the entry has another's."""
    entry = table[place]
    if entry >> (_BOUND_BITS + shape[2]) != _rest(key, shape):
        return np.int64(0)
    return np.int64(entry & _BOUNDS)


@lean
def find(table: WordArray, line: np.int64, key: np.uint64, shape: WordArray) -> np.int64:
    """Return the bounds of a position as `bounds_at`, 0 if it is unknown."""
    equal = _equal(table, line, _BOUND_BITS + shape[2], _rest(key, shape))
    if equal:
        # an empty entry may match, too: it has no bounds, and no used entry follows it; another
        # thread may have replaced the entry since
        return bounds_at(table, line + np.int64(trailing_zeros64(equal)), key, shape)
    return np.int64(0)


@lean
def work_of(entry: np.uint64, shape: WordArray) -> np.uint64:
    """Return the work that was spent on an entry."""
    work: np.uint64 = (entry >> _BOUND_BITS) & ((ONE << shape[2]) - ONE)
    return work


@lean
def write(table: WordArray, place: int, key: U64, bounds: U64, work: U64, shape: WordArray) -> None:
    """Write an entry."""
    work = min(work, (ONE << shape[2]) - ONE)
    table[place] = (_rest(key, shape) << (_BOUND_BITS + shape[2])) | (work << _BOUND_BITS) | bounds
