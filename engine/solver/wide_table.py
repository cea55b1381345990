"""The transposition table for boards in lanes: four entries of four words per cache line.

An entry has the whole key, three words, so a hit is always the same position::

    key | key | key | check << 24 | work << 16 | (high + 128) << 8 | low + 128

`low` and `high` bound the score; an empty entry is 0. `work` is about the logarithm of the nodes
that were spent on the entry: the cheapest of a line is replaced.

Threads share the table without locks, so an entry may hold words that two of them wrote at once.
`check` is a hash of the key: bounds that were stored for another key are not taken for this one's.
"""

import numpy as np

from engine import vector
from engine.bits import U64, ZERO, leading_zeros64, prefetch, scramble64
from engine.compiled import lean
from engine.lanes import WordArray
from engine.solver.memory import Integers, note
from engine.vector import Register

LINE = 4
"""Entries per cache line."""
ENTRY = 4
"""Words per entry."""
WORDS = 3
"""Words per key."""
LINE_WORDS = LINE * ENTRY
_EIGHT = U64(8)
_WORK = U64(16)
_ONES = U64(0xFFFF)
_WORK_ONES = U64(0xFF)
_CHECK = ~U64(0xFFFFFF)
_ODD_1 = U64(0xBF58476D1CE4E5B9)
_ODD_2 = U64(0x94D049BB133111EB)
_STEP = U64(0x9E3779B97F4A7C15)


@lean
def mixed(key: Register, shape: WordArray) -> Register:  # noqa: ARG001 - as in the other table
    """Return the key as the other functions take it, here unchanged."""
    return key


@lean
def line_of(key: Register, shape: WordArray) -> np.int64:
    """Return the first word of the key's line; `shape` is (unused, index bits)."""
    words = vector.unpack(key)
    scrambled = scramble64(scramble64(scramble64(words[0]) ^ words[1]) + words[2] * _STEP)
    return np.int64((scrambled >> (U64(64) - shape[1])) + shape[3]) * LINE_WORDS


@lean
def _check(a: np.uint64, b: np.uint64, c: np.uint64) -> np.uint64:
    """Return a hash of a key in the upper 40 bits."""
    return (a * _STEP ^ b * _ODD_1 ^ c * _ODD_2) & _CHECK


@lean
def fetch(table: WordArray, line: np.int64) -> None:
    """Prefetch a line into the cache."""
    prefetch(table, line)
    prefetch(table, line + 8)


@lean
def find(table: WordArray, line: np.int64, key: Register, shape: WordArray) -> np.int64:  # noqa: ARG001
    """Return low + 128 and (high + 128) << 8 of a position, 0 if it is unknown."""
    a, b, c = vector.unpack(key)
    for entry in range(LINE):
        at = line + entry * ENTRY
        if table[at] == a and table[at + 1] == b and table[at + 2] == c:
            value = table[at + 3]
            if (value ^ _check(a, b, c)) & _CHECK == ZERO:
                return np.int64(value & _ONES)
    return np.int64(0)


@lean
def low_of(found: np.int64) -> np.int64:
    """Return the lower bound of the result of `find`."""
    return (found & 255) - 128


@lean
def high_of(found: np.int64) -> np.int64:
    """Return the upper bound of the result of `find`."""
    return (found >> 8) - 128


@lean
def clear_entries(table: WordArray, journal: Integers) -> None:
    """Clear the table, entry by entry if the journal has all of them."""
    if journal[0] < len(journal):
        for number in range(1, journal[0] + 1):
            for word in range(ENTRY):
                table[journal[number] + word] = ZERO
    else:
        table[:] = ZERO
    journal[0] = 0


@lean
def put(
    table: WordArray,
    line: np.int64,
    key: Register,
    low: np.int64,
    high: np.int64,
    nodes: np.int64,
    shape: WordArray,  # noqa: ARG001 - as in the other table
    journal: Integers,
) -> None:
    """Store the bounds of a position, in its own entry or the cheapest of its line."""
    a, b, c = vector.unpack(key)
    work = U64(64) - leading_zeros64(U64(nodes))
    chosen, cheapest = line, ~ZERO
    for entry in range(LINE):
        at = line + entry * ENTRY
        value = table[at + 3]
        if value == ZERO:
            chosen = at
            note(journal, chosen)
            break
        if table[at] == a and table[at + 1] == b and table[at + 2] == c:
            chosen = at
            if (value ^ _check(a, b, c)) & _CHECK == ZERO:
                # another thread may have found other bounds
                low = max(low, low_of(np.int64(value & _ONES)))
                high = min(high, high_of(np.int64(value & _ONES)))
            break
        cost = (value >> _WORK) & _WORK_ONES
        if cost < cheapest:
            chosen, cheapest = at, cost
    table[chosen] = a
    table[chosen + 1] = b
    table[chosen + 2] = c
    bounds = (U64(high + 128) << _EIGHT) | U64(low + 128)
    table[chosen + 3] = _check(a, b, c) | (work << _WORK) | bounds
