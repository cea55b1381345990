"""The arrays of a search, and the meaning of their columns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.lanes import WordArray

Integers = NDArray[np.int64]

MOST_CHILDREN = 12

# columns of `frames`, one row a depth
BETA, BEST, PLY, NEXT, CHILDREN, NODES, LOW, HIGH, LINE = range(9)
FRAME_FIELDS = 9
# columns of `children`, one row a child
ORDER, SIGN, CHILD_PLY, CHILD_LOW, CHILD_HIGH, CHILD_LINE, SLOT = range(7)
CHILD_FIELDS = 7
# rows of the sets of a node and of a child
OWN, OTHER, MOVES, KEY = range(4)
SETS = 4


class SolverMemory(NamedTuple):
    """The arrays of a solver; `depth` is the number of cells and two more."""

    constants: WordArray
    """The board, from `engine.solver.geometry.board_constants`."""
    sets: WordArray
    """By depth the stones, moves and key of a node: shape (depth * SETS, words)."""
    frames: Integers
    """By depth the state of a node: shape (depth, FRAME_FIELDS)."""
    child_sets: WordArray
    """As `sets`, for `MOST_CHILDREN` children of each depth."""
    children: Integers
    """As `frames`, for the children, with CHILD_FIELDS columns."""
    known: WordArray
    """The table of bounds."""
    shape: WordArray
    """A row for the large part of the table and one for the part near the end: bits of a key, index
    bits, work bits, first line, most free cells of a position of the near part."""
    journal: Integers
    """Of `engine.solver.journal`."""
    weights: Integers
    """By cell, the number of lines through it."""


class SolverQuestion(NamedTuple):
    """What is asked of all positions of a call."""

    total: int
    """Cells of the board."""
    columns: int
    is_symmetric: bool
    """Whether mirrored positions are equal."""
    is_weak: bool
    """Whether only win, draw or loss is asked."""
    forgets: bool
    """Whether the table is emptied before each position; a call without any only empties it."""
    limit: int
    """The most nodes for each position."""
