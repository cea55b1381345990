"""The graph's hash table: open addressing, cleared as a whole by a new generation.

An entry has the upper half of the hash, a generation and a node's number. An entry of another
generation, or of generation 0, is empty, so the table is cleared in one step. The home slot of an
entry follows from its half of the hash, so entries can move when one is removed.

Hashes are Zobrist's (1970): the exclusive or of one random number for each stone.
"""

import numpy as np
from numpy.typing import NDArray

from bots.uct.graph.layout import GENERATION_BITS, ID_BITS, Table
from engine.compiled import inlined
from engine.lanes import to_words
from engine.position import Position, geometry
from engine.seeds import SplitMix

_ID = np.uint64((1 << ID_BITS) - 1)
_GENERATIONS = np.uint64((1 << GENERATION_BITS) - 1)
_ID_BITS = np.uint64(ID_BITS)
_HALF = np.uint64(32)
_NOTHING = np.uint64(0)

GENERATIONS = (1 << GENERATION_BITS) - 1
"""Largest generation; after it the table must be cleared explicitly."""
CELLS = 192
"""Zobrist numbers per side: 16 for each of 12 columns."""


def stones_of(position: Position) -> NDArray[np.uint64]:
    """Return a position as a node stores it: stones of the side to move and landing cells."""
    masks = geometry(position.board)
    occupied = position.stones[0] | position.stones[1] | masks.forbidden
    landing = (occupied + masks.bottoms) & ~occupied
    return to_words(position.stones[position.to_move] | landing)


def _keys() -> NDArray[np.uint64]:
    random = SplitMix(0x5EED)
    return np.array([random.next64() for _ in range(2 * CELLS)], np.uint64)


ZOBRIST = _keys()


def hash_of(position: Position) -> np.uint64:
    """Return the hash of a position's stones."""
    total = np.uint64(0)
    for side in (0, 1):
        for cell in range(CELLS):
            if position.stones[side] >> cell & 1:
                total ^= ZOBRIST[CELLS * side + cell]
    return np.uint64(total)


@inlined
def entry_of(key: np.uint64, generation: np.uint64, node: np.int64) -> np.uint64:
    """Return a table entry."""
    return (key >> _HALF) << _HALF | generation << _ID_BITS | np.uint64(node)


@inlined
def home_of(entry: np.uint64, shift: np.uint64) -> np.int64:
    """Return the home slot of an entry or a hash; `shift` is 64 less the table's bits."""
    return np.int64(entry >> shift)


@inlined
def is_current(entry: np.uint64, generation: np.uint64) -> bool:
    """Return whether the slot has an entry of this generation."""
    return bool((entry >> _ID_BITS & _GENERATIONS) == generation)


@inlined
def node_of(entry: np.uint64) -> np.int64:
    """Return the number of an entry's node."""
    return np.int64(entry & _ID)


@inlined
def remove_entry(
    table: Table, shift: np.uint64, generation: np.uint64, key: np.uint64, node: np.int64
) -> None:
    """Remove a node's entry and close the gap, so that the others are still found."""
    last = len(table) - 1
    place = home_of(key, shift)
    while not (is_current(table[place], generation) and node_of(table[place]) == node):
        if not is_current(table[place], generation):
            return
        place = (place + 1) & last
    gap = place
    while True:
        place = (place + 1) & last
        entry = table[place]
        if not is_current(entry, generation):
            break
        # An entry may move back into the gap unless its home slot is between the two.
        if (place - home_of(entry, shift)) & last >= (place - gap) & last:
            table[gap] = entry
            gap = place
    table[gap] = _NOTHING
