"""The arrays of a search, their columns, its table's common part, and what it is asked."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bits import U64, ZERO, leading_zeros64
from engine.compiled import lean
from engine.lanes import WordArray

Integers = NDArray[np.int64]

CONSTANTS = 8
"""Rows of a board as an array: stride, bottoms, cells, forbidden, above it, lower, upper, spare."""
MOST_CHILDREN = 12
NO_GUESS = 1000
"""No likely score is known."""

JOURNAL_LENGTH = 1 << 18
"""Length of a journal: the number of table entries in use, then their places, until it is full.
With it a nearly empty table is cleared quickly; with more entries in use all of it is cleared."""

# columns of `frames`, one row per depth
BETA, BEST, PLY, NEXT, CHILDREN, NODES, LOW, HIGH, LINE = range(9)
FRAME_FIELDS = 9
# columns of `children`, one row per child
ORDER, SIGN, CHILD_PLY, CHILD_LOW, CHILD_HIGH, CHILD_LINE, SLOT = range(7)
CHILD_FIELDS = 7
# rows of the sets of nodes and children
OWN, OTHER, MOVES, KEY = range(4)
SETS = 4


class SolverMemory(NamedTuple):
    """The arrays of one thread of a solver; `depth` is the number of cells plus two.

    Threads that search together share `known`, `marks` and `stop`.
    """

    constants: WordArray
    """Board from `engine.solver.geometry.board_constants`."""
    sets: WordArray
    """Stones, moves and key of the node at each depth, shape (depth * SETS, words)."""
    frames: Integers
    """State of the node at each depth, shape (depth, FRAME_FIELDS)."""
    child_sets: WordArray
    """The same as `sets` for `MOST_CHILDREN` children per depth."""
    children: Integers
    """The same as `frames` for the children, with CHILD_FIELDS columns."""
    known: WordArray
    """Transposition table."""
    shape: WordArray
    """Shape of the large part of the table and of this thread's part for positions near the end,
    one row each: bits of a key, index bits, work bits, first line, most free cells of a position
    near the end."""
    journal: Integers
    """Journal of the table, see `JOURNAL_LENGTH`."""
    weights: Integers
    """Number of lines of four through each cell."""
    marks: Integers
    """Nodes that threads search now, see `engine.solver.sharing.mark`."""
    stop: Integers
    """One number; the search ends soon after it becomes 1."""


class SolverQuestion(NamedTuple):
    """The question that a call asks about all its positions."""

    total: int
    """Number of cells of the board."""
    columns: int
    is_symmetric: bool
    """Whether the board is its own mirror image."""
    is_weak: bool
    """Whether only win, draw or loss is wanted."""
    clears: bool
    """Whether to clear the table before each position; a call without positions only clears it."""
    limit: int
    """Node limit for each position."""
    horizon: int
    """Plies after each position within which an end is searched; at least the board's cells to
    search all of them. A draw counts as an end when the board is full."""
    split: int
    """Number of free cells above which threads share out the children of a node."""
    guess: int
    """A likely score of the position or one more, `NO_GUESS` for none."""


@lean
def note(journal: Integers, place: np.int64) -> None:
    """Record that an empty entry is now in use."""
    number = journal[0] + 1
    if number < len(journal):
        journal[number] = place
    journal[0] = number


@lean
def clear_entries(table: WordArray, journal: Integers, words: int) -> None:
    """Clear a table of entries of some words, one by one if the journal has all of them."""
    if journal[0] < len(journal):
        for number in range(1, journal[0] + 1):
            for word in range(words):
                table[journal[number] + word] = ZERO
    else:
        table[:] = ZERO
    journal[0] = 0


def bounds_on(bits: int) -> tuple[Callable[..., U64], Callable[..., Any], Callable[..., Any]]:
    """Build packing of bounds on a score in twice some bits, and its lower and upper bound."""
    half, mask, shift = 1 << bits - 1, (1 << bits) - 1, U64(bits)

    @lean
    def pack(low: np.int64, high: np.int64) -> U64:
        return (U64(high + half) << shift) | U64(low + half)

    @lean
    def low_of(bounds: np.int64) -> np.int64:
        return (bounds & mask) - half

    @lean
    def high_of(bounds: np.int64) -> np.int64:
        return (bounds >> bits) - half

    return pack, low_of, high_of


def put_on(layout: ModuleType) -> Callable[..., None]:
    """Build `put` for the entries of `engine.solver.word_table` or `engine.solver.wide_table`."""
    bounds_at, low_of, high_of = layout.bounds_at, layout.low_of, layout.high_of
    work_of, write, pack = layout.work_of, layout.write, layout.pack_bounds
    entry, line_words = layout.ENTRY, layout.LINE_WORDS

    @lean
    def put(
        table: WordArray,
        line: np.int64,
        key: Any,
        low: Any,
        high: Any,
        nodes: np.int64,
        shape: WordArray,
        journal: Integers,
    ) -> None:
        """Store the bounds of a position, in its own entry or the cheapest of its line."""
        chosen: Any = line
        cheapest = ~ZERO
        for place in range(line, line + line_words, entry):
            value = table[place + entry - 1]
            if value == ZERO:
                chosen = place
                note(journal, chosen)
                break
            bounds = bounds_at(table, place, key, shape)
            if bounds:
                chosen = place
                # another thread may have found other bounds
                low, high = max(low, low_of(bounds)), min(high, high_of(bounds))
                break
            cost = work_of(value, shape)
            if cost < cheapest:
                chosen, cheapest = place, cost
        work = U64(64) - leading_zeros64(U64(nodes))
        write(table, chosen, key, pack(low, high), work, shape)

    return put
