"""The steps of a descent that all tree searches share: selection, backup, counting."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.uct.nodes import (
    COLUMNS,
    DISTANCE,
    DRAWN,
    HEAD,
    LOST,
    OPEN,
    OUTCOME,
    WON,
    Integer,
    distance_of,
    outcome_of,
    points_of,
)
from bots.uct.settings import LEAVE_SOLVED, RIGHT_DISTANCES, SOLVE
from bots.uct.tree.layout import DEPTH, NEW, NODES, OLD, PASSED_OVER, STATE, USED, Tree, TreeMemory
from bots.uct.ucb import best_child, exploration, fourth_root_exploration
from engine.bits import prefetch
from engine.compiled import inlined


@inlined
def solve(tree: Tree, at: Integer, k: Integer, flags: int) -> Any:
    """Return a node's meta, with the outcome and distance if its children prove one."""
    meta = tree[at + 3 * k]
    first = tree[at + 2 * k]
    head = tree[first - HEAD]
    siblings = head & 255
    made = head >> 8
    unsolved = (meta & COLUMNS) != 0
    drawn = False
    shortest: Integer = 256
    longest: Integer = -1
    for child in range(first, first + made):
        child_meta = tree[child + 3 * siblings]
        outcome = outcome_of(child_meta)
        distance = distance_of(child_meta)
        if outcome == OPEN:
            unsolved = True
        elif outcome == WON:
            if shortest == 256 or (flags & RIGHT_DISTANCES and distance < shortest):
                shortest = distance
        elif outcome == DRAWN:
            drawn = True
        elif longest < 0 or (flags & RIGHT_DISTANCES and distance > longest):
            longest = distance
    if shortest < 256:
        return meta | LOST << OUTCOME | (shortest + 1) << DISTANCE
    if unsolved:
        return meta
    if drawn:
        return meta | DRAWN << OUTCOME
    return meta | WON << OUTCOME | (longest + 1) << DISTANCE


@inlined
def prefetch_children(tree: Tree, first: int | np.int64) -> None:
    """Prefetch all cache lines of a block of children at once."""
    prefetch(tree, first + 14)
    prefetch(tree, first + 30)
    prefetch(tree, first + 43)


@inlined
def choose_child(
    tree: Tree, at: Integer, first: Integer, siblings: Integer, c: float, fourth_root: bool
) -> np.int64:
    """Return the place of the child that UCB selects.

    Args:
        tree: array of `bots.uct.tree.layout`.
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


@inlined
def back_up(
    tree: Tree, path: NDArray[np.int32], depth: int, points: Any, solved: bool, win: int, flags: int
) -> None:
    """Back up the result of a descent along its path.

    Args:
        tree: array of `bots.uct.tree.layout`; updated.
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
        outcome = outcome_of(tree[at + 3 * k])
        if outcome == OPEN and solved and flags & SOLVE:
            meta = solve(tree, at, k, flags)
            tree[at + 3 * k] = meta
            outcome = outcome_of(meta)
            solved = outcome != OPEN
        if outcome == OPEN:
            tree[at + k] += points
        else:
            points = points_of(outcome, win)
            # Otherwise the search could choose a solved draw forever.
            passed = flags & LEAVE_SOLVED != 0 or (flags & SOLVE != 0 and outcome == DRAWN)
            tree[at + k] = PASSED_OVER if passed else points * tree[at]
        points = win - points


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
