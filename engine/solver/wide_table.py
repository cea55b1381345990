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
from engine.bits import U64, ZERO, prefetch, scramble64
from engine.compiled import lean
from engine.lanes import WordArray
from engine.solver.memory import bounds_on
from engine.vector import Register

LINE = 4
"""Entries per cache line."""
ENTRY = 4
"""Words per entry."""
WORDS = 3
"""Words per key."""
LINE_WORDS = LINE * ENTRY
pack_bounds, low_of, high_of = bounds_on(8)
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
def bounds_at(table: WordArray, place: np.int64, key: Register, shape: WordArray) -> np.int64:  # noqa: ARG001
    """Return the bounds of a position, 0 if the entry has another's."""
    a, b, c = vector.unpack(key)
    if table[place] == a and table[place + 1] == b and table[place + 2] == c:
        value = table[place + 3]
        if (value ^ _check(a, b, c)) & _CHECK == ZERO:
            return np.int64(value & _ONES)
    return np.int64(0)


@lean
def find(table: WordArray, line: np.int64, key: Register, shape: WordArray) -> np.int64:
    """Return the bounds of a position as `bounds_at`, 0 if it is unknown."""
    for entry in range(LINE):
        bounds = bounds_at(table, line + entry * ENTRY, key, shape)
        if bounds:
            return bounds
    return np.int64(0)


@lean
def work_of(value: np.uint64, shape: WordArray) -> np.uint64:  # noqa: ARG001
    """Return the work that was spent on an entry, from its last word."""
    return (value >> _WORK) & _WORK_ONES


@lean
def write(  # the arguments are those of the other table
    table: WordArray,
    place: int,
    key: Register,
    bounds: U64,
    work: U64,
    shape: WordArray,  # noqa: ARG001
) -> None:
    """Write an entry."""
    a, b, c = vector.unpack(key)
    table[place] = a
    table[place + 1] = b
    table[place + 2] = c
    table[place + 3] = _check(a, b, c) | (work << _WORK) | bounds
