"""Backup of results, proofs and visits along a path of the tree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.uct.meta import COLUMNS, DISTANCE, OUTCOME, Integer, distance_of, outcome_of, points_of
from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.siblings import HEAD
from bots.uct.switches import LEAVE_SOLVED, RIGHT_DISTANCES, SOLVE
from bots.uct.tree.layout import PASSED_OVER, Tree
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
def score_solved(tree: Tree, at: Integer, k: Integer, outcome: Integer, flags: int) -> int:
    """Set the score of a solved node; return twice its result for the mover."""
    points = points_of(outcome)
    # Otherwise the search could choose a solved draw forever.
    passed = flags & SOLVE and outcome == DRAWN
    tree[at + k] = PASSED_OVER if passed else points * tree[at]
    return points


@inlined
def back_up(
    tree: Tree, path: NDArray[np.int32], depth: int, points: int, solved: bool, flags: int
) -> None:
    """Back up the result of a descent along its path.

    Args:
        tree: array of `bots.uct.tree.layout`; updated.
        path: place and stride of every node from the root on.
        depth: plies from the root to the last node.
        points: twice the result for the last node's mover.
        solved: whether the last node has just been solved.
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
            points = score_solved(tree, at, k, outcome, flags)
            if flags & LEAVE_SOLVED:
                tree[at + k] = PASSED_OVER
        points = 2 - points
