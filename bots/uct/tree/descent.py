"""The parts of a descent that all tree searches share."""

import numpy as np

from bots.uct.meta import Integer
from bots.uct.tree.layout import DEPTH, NEW, NODES, OLD, STATE, USED, Tree, TreeMemory
from bots.uct.ucb import exploration
from bots.uct.ucb_vector import best_child
from engine.bits import prefetch
from engine.compiled import inlined


@inlined
def prefetch_children(tree: Tree, first: int | np.int64) -> None:
    """Prefetch all cache lines of a block of children at once."""
    prefetch(tree, first + 14)
    prefetch(tree, first + 30)
    prefetch(tree, first + 43)


@inlined
def choose_child(tree: Tree, at: Integer, first: Integer, siblings: Integer, c: float) -> np.int64:
    """Return the place of the child that UCB selects.

    Args:
        tree: array of `bots.uct.tree.layout`.
        at: place of the parent.
        first: place of its first child.
        siblings: number of its children.
        c: exploration constant.

    """
    child = np.int64(first)
    if siblings > 1:
        child = np.int64(best_child(tree, first, siblings, exploration(c, max(tree[at], 1))))
    return child


@inlined
def count_descents(
    memory: TreeMemory,
    used: Integer,
    random: np.uint64,
    new: Integer,
    old: Integer,
    nodes: Integer,
    deepest: Integer,
) -> None:
    """Update the counters after a chunk; see `bots.uct.tree.layout`."""
    counters = memory.counters
    counters[STATE] = random
    counters[USED] = np.uint64(used)
    counters[NEW] += np.uint64(new)
    counters[OLD] += np.uint64(old)
    counters[NODES] += np.uint64(nodes)
    counters[DEPTH] = np.uint64(deepest)
