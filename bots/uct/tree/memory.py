"""The tree: its layout, the steps of a descent that all searches share, and its reuse.

The children of a node are a block of `bots.uct.nodes`::

    head owner | visits x k | scores x k | firsts x k | metas x k        k children

A node's score is at ``at + k``, the place of its first child at ``at + 2 * k`` (0 if it has none),
its meta (`bots.uct.nodes`) at ``at + 3 * k``. Scores are for the side whose move led into the
node: twice the results, or in `bots.learned` parts of `WHOLE`.

Reuse keeps the part below a new root and frees the rest. Blocks are allocated in ascending order,
so a block's children are always at higher places. One ascending pass therefore reaches every block
after its owner. An owner in use has stored in it where the pointer to it is now, and the block
moves down to the first free place.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bots.uct import nodes as form
from bots.uct.nodes import Integer
from bots.uct.parameters import LEAVE_SOLVED, RIGHT_DISTANCES, SOLVE
from bots.uct.proof import add_child, no_children, proven
from bots.uct.ucb import best_child, exploration, fourth_root_exploration
from engine.bits import prefetch
from engine.compiled import kernel, lean
from engine.lanes import WordArray

Tree: TypeAlias = NDArray[np.int32]

ROOT = form.HEAD
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
    """Stones of the root, shape (2, 3), from `engine.arrays.stone_words`."""
    board: WordArray
    """Board from `engine.arrays.board_words`, shape (3, 3)."""
    tree: Tree
    """Blocks of nodes; the root's block always exists."""
    path: NDArray[np.int32]
    """Path of a descent: a node's place and stride per ply."""
    counters: NDArray[np.uint64]
    """Counters, see `USED`."""
    order: NDArray[np.int64]
    """The columns from the centre outwards."""


@lean
def solve(tree: Tree, at: Integer, k: Integer, flags: int) -> Any:
    """Return a node's meta, with the outcome and distance if its children prove one."""
    meta = tree[at + 3 * k]
    first = tree[at + 2 * k]
    head = tree[first - form.HEAD]
    metas = first + 3 * (head & 255)
    children = no_children(meta)
    for child in range(metas, metas + (head >> 8)):
        children = add_child(children, tree[child], flags & RIGHT_DISTANCES != 0)
    return proven(meta, children)


@lean
def prefetch_children(tree: Tree, first: int | np.int64) -> None:
    """Prefetch all cache lines of a block of children at once."""
    prefetch(tree, first + 14)
    prefetch(tree, first + 30)
    prefetch(tree, first + 43)


@lean
def choose_child(
    tree: Tree,
    at: Integer,
    first: Integer,
    siblings: Integer,
    c: float,
    fourth_root: bool,
) -> np.int64:
    """Return the place of the child that UCB selects.

    Args:
        tree: array of `bots.uct.tree.memory`.
        at: place of the parent.
        first: place of its first child.
        siblings: number of its children.
        c: exploration constant.
        fourth_root: whether exploration grows with the fourth root of the parent's visits.

    """
    child = np.int64(first)
    if siblings > 1:
        visits = max(np.int64(tree[at]), np.int64(1))
        explore = fourth_root_exploration(c, visits) if fourth_root else exploration(c, visits)
        child = np.int64(best_child(tree, first, siblings, explore))
    return child


@lean
def back_up(
    tree: Tree, path: NDArray[np.int32], depth: int, points: Any, solved: bool, win: int, flags: int
) -> None:
    """Back up the result of a descent along its path.

    Args:
        tree: array of `bots.uct.tree.memory`; updated.
        path: place and stride of every node from the root on.
        depth: plies from the root to the last node.
        points: points of the last node's mover, 0 .. `win`.
        solved: whether the last node, or a child of it, has just been solved.
        win: points of a win.
        flags: the version's switches.

    """
    for level in range(depth, -1, -1):
        at = path[2 * level]
        k = path[2 * level + 1]
        tree[at] += 1
        outcome = form.outcome_of(tree[at + 3 * k])
        if outcome == form.OPEN and solved and flags & SOLVE:
            meta = solve(tree, at, k, flags)
            tree[at + 3 * k] = meta
            outcome = form.outcome_of(meta)
            solved = outcome != form.OPEN
        if outcome == form.OPEN:
            tree[at + k] += points
        else:
            points = form.points_of(outcome, win)
            # Otherwise the search could choose a solved draw forever.
            passed = flags & LEAVE_SOLVED != 0 or (flags & SOLVE != 0 and outcome == form.DRAWN)
            tree[at + k] = PASSED_OVER if passed else points * tree[at]
        points = win - points


@lean
def count_descents(
    memory: TreeMemory,
    used: Integer,
    random: np.uint64,
    new: Integer,
    old: Integer,
    nodes: Integer,
    deepest: Integer,
) -> None:
    """Update the counters after a chunk; see `bots.uct.tree.memory`."""
    counters = memory.counters
    counters[STATE] = random
    counters[USED] = np.uint64(used)
    counters[NEW] += np.uint64(new)
    counters[OLD] += np.uint64(old)
    counters[NODES] += np.uint64(nodes)
    counters[DEPTH] = np.uint64(deepest)


@kernel
def find_child(tree: Tree, at: int, k: int, column: int) -> tuple[int, int]:
    """Return place and stride of the child of a column, or place 0 if it does not exist."""
    first = tree[at + 2 * k]
    if first == 0:
        return 0, 0
    siblings = tree[first - form.HEAD] & 255
    for child in range(first, first + (tree[first - form.HEAD] >> 8)):
        meta = tree[child + 3 * siblings]
        if form.column_of(meta) == column:
            return (0, 0) if meta & form.UNSEEN else (child, siblings)
    return 0, 0


@kernel
def move_root(tree: Tree, at: int, k: int) -> None:
    """Make a node the root without freeing other nodes."""
    for field in range(form.FIELDS):
        tree[ROOT + field] = tree[at + field * k]


@kernel
def compact(tree: Tree, used: int, at: int, k: int) -> tuple[int, int]:
    """Make a node the root and free all nodes that cannot be reached from it.

    Args:
        tree: array of `bots.uct.tree.memory`; updated.
        used: integers in use.
        at: place of the new root.
        k: stride of the new root.

    Returns:
        Integers in use afterwards, and the number of nodes, including the root.

    """
    first = tree[at + 2 * k]
    move_root(tree, at, k)
    if first:
        tree[first - 1] = ROOT + 2
    free = form.FIRST_FREE
    nodes = 1
    block = form.FIRST_FREE
    while block < used:
        siblings = tree[block] & 255
        size = form.HEAD + form.FIELDS * siblings
        owner = tree[block + 1]
        if owner:
            made = tree[block] >> 8
            for i in range(
                block + form.HEAD + 3 * siblings, block + form.HEAD + 3 * siblings + made
            ):
                nodes += (tree[i] & form.UNSEEN) == 0
            tree[owner] = free + form.HEAD
            for i in range(size):
                tree[free + i] = tree[block + i]
            tree[free + 1] = 0
            firsts = free + form.HEAD + 2 * siblings
            for i in range(firsts, firsts + made):
                if tree[i]:
                    tree[tree[i] - 1] = i
            free += size
        block += size
    return free, nodes
