"""The nodes of a tree: one of `bots.uct.siblings`' blocks for the children of each::

    head owner | visits x k | scores x k | firsts x k | metas x k        k children

A node's score is at ``at + k``, the place of its first child at ``at + 2 * k`` (0 while it has
none), its meta (`bots.uct.meta`) at ``at + 3 * k``. Scores are twice the results, for the side
whose move led into the node. `owner` is used while a tree is compacted.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bots.uct.siblings import HEAD
from engine.lanes import WordArray

Tree: TypeAlias = NDArray[np.int32]

ROOT = HEAD
"""The root is the only child of the first block."""
PASSED_OVER = -(1 << 30)
"""The score of a solved node that selection must not choose again; its outcome is in its meta."""

USED, STATE, NEW, OLD, DEPTH, NODES = range(6)
"""Counters that outlast a chunk: integers used, generator, new and repeated descents, deepest
descent in plies, nodes."""
COUNTERS = 6


class TreeMemory(NamedTuple):
    """The arrays of a search."""

    stones: WordArray
    """Of the root: shape (2, 3), from `engine.lanes.stone_words`."""
    board: WordArray
    """Shape (3, 3), from `engine.lanes.board_words`."""
    tree: Tree
    """Holds at least the root's block."""
    path: NDArray[np.int32]
    """Room for a descent: a node's place and stride a ply."""
    counters: NDArray[np.uint64]
    """`USED` and its companions."""
