"""The memory layout of a tree.

The children of a node are a block of `bots.uct.nodes`::

    head owner | visits x k | scores x k | firsts x k | metas x k        k children

A node's score is at ``at + k``, the place of its first child at ``at + 2 * k`` (0 if it has none),
its meta (`bots.uct.nodes`) at ``at + 3 * k``. Scores are twice the results for the side whose move
led into the node. `owner` is used to compact a tree.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bots.uct.nodes import HEAD
from engine.lanes import WordArray

Tree: TypeAlias = NDArray[np.int32]

ROOT = HEAD
"""Place of the root, the only child of the first block."""
PASSED_OVER = -(1 << 30)
"""Score of a solved node that selection must not choose again; its meta has the outcome."""

USED, STATE, NEW, OLD, DEPTH, NODES = range(6)
"""Counters between chunks: used integers, generator, new and repeated descents, deepest descent in
plies, nodes."""
COUNTERS = 6


class TreeMemory(NamedTuple):
    """The arrays of a search."""

    stones: WordArray
    """Stones of the root, shape (2, 3), from `engine.lanes.stone_words`."""
    board: WordArray
    """Board from `engine.lanes.board_words`, shape (3, 3)."""
    tree: Tree
    """Blocks of nodes; the root's block always exists."""
    path: NDArray[np.int32]
    """Path of a descent: a node's place and stride per ply."""
    counters: NDArray[np.uint64]
    """Counters, see `USED`."""
