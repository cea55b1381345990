"""The arrays of a search, their columns, and what it is asked."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
