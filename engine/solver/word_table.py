"""The table of known bounds for boards in one word: eight entries of 64 bits in a cache line.

The key of a position has `bits` = (rows + 1) * columns bits. A bijection scatters it over the same
range; its upper `index` bits choose the line and the others stand in the entry, so that a hit is
always the asked position::

    entry    | rest of the scattered key | work | high + 32 | low + 32 |
               bits - index bits           ...    6 bits      6 bits

`low` and `high` bound the score; an empty entry is 0. `work` is about the logarithm of the nodes
that the entry has cost: the cheapest of a line is replaced.
"""

import numpy as np

from engine.bits import ONE, U64, ZERO, leading_zeros64, prefetch
from engine.compiled import inlined
from engine.lanes import WordArray
from engine.solver.journal import Integers, note

LINE = 8
"""Entries of a line."""
LINE_WORDS = 8
BOUND_BITS = 12
MOST_WORK_BITS = 6
_SIX = U64(6)
_BOUND_BITS = U64(12)
_BOUNDS = U64(0xFFF)
_LOW_SIX = U64(63)
_ODD = U64(0x9E3779B97F4A7C15)


@inlined
def scattered(key: np.uint64, shape: WordArray) -> np.uint64:
    """A bijection of the keys. `shape`: bits of a key, index bits, work bits."""
    bits = shape[0]
    mask = ~ZERO >> (U64(64) - bits)
    half = (bits + ONE) >> ONE
    key ^= key >> half
    key = (key * _ODD) & mask
    key ^= key >> half
    result: np.uint64 = (key * _ODD) & mask
    return result


@inlined
def line_of(key: np.uint64, shape: WordArray) -> np.int64:
    """The first place of the key's line."""
    return np.int64((scattered(key, shape) >> (shape[0] - shape[1])) + shape[3]) * LINE


@inlined
def fetch(table: WordArray, line: np.int64) -> None:
    """Have a line brought into the cache."""
    prefetch(table, line)


@inlined
def find(table: WordArray, line: np.int64, key: np.uint64, shape: WordArray) -> np.int64:
    """The bounds of a position: low + 32 and (high + 32) << 6; 0 when it is not known."""
    rest = scattered(key, shape) & (~ZERO >> (U64(64) - (shape[0] - shape[1])))
    shift = _BOUND_BITS + shape[2]
    for place in range(LINE):
        entry = table[line + place]
        if entry >> shift == rest and entry & _BOUNDS:
            return np.int64(entry & _BOUNDS)
    return np.int64(0)


@inlined
def low_of(found: np.int64) -> np.int64:
    """The lower bound of what `find` gave."""
    return (found & 63) - 32


@inlined
def high_of(found: np.int64) -> np.int64:
    """The upper bound of what `find` gave."""
    return (found >> 6) - 32


@inlined
def forget(table: WordArray, journal: Integers) -> None:
    """Empty the table: entry by entry while the journal has them all."""
    if journal[0] < len(journal):
        for number in range(1, journal[0] + 1):
            table[journal[number]] = ZERO
    else:
        table[:] = ZERO
    journal[0] = 0


@inlined
def put(
    table: WordArray,
    line: np.int64,
    key: np.uint64,
    low: np.int64,
    high: np.int64,
    nodes: np.int64,
    shape: WordArray,
    journal: Integers,
) -> None:
    """Keep the bounds of a position, in place of what it had or of the cheapest of its line."""
    rest = scattered(key, shape) & (~ZERO >> (U64(64) - (shape[0] - shape[1])))
    shift = _BOUND_BITS + shape[2]
    most = (ONE << shape[2]) - ONE
    work = U64(64) - leading_zeros64(U64(nodes))
    work = min(work, most)
    chosen, cheapest = line, ~ZERO
    for place in range(LINE):
        entry = table[line + place]
        if entry & _BOUNDS == ZERO:
            chosen = line + place
            note(journal, chosen)
            break
        if entry >> shift == rest:
            chosen = line + place
            break
        cost = (entry >> _BOUND_BITS) & most
        if cost < cheapest:
            chosen, cheapest = line + place, cost
    bounds = (U64(high + 32) << _SIX) | U64(low + 32)
    table[chosen] = (rest << shift) | (work << _BOUND_BITS) | bounds
