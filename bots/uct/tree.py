"""UCT over a tree, v5 on: one search with switches, written once and built on two layouts.

`search_plain` runs on 64-bit words (v5 to v9), `search` on vector registers (v10 on). Both make
the same decisions from the same random state.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.uct.choice import exploration
from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.pick import most_urgent
from bots.uct.playout import playout_on
from bots.uct.record import (
    COLUMN,
    COLUMNS,
    DISTANCE,
    FIELDS,
    HEAD,
    OUTCOME,
    PASSED_OVER,
    ROOT,
    SLACK,
    Integer,
    Tree,
    column_of,
    distance_of,
    outcome_of,
    points_of,
)
from engine import lanes, vector
from engine.bits import below_random, kth_bit, popcount64, step_random, trailing_zeros64
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray

SOLVE = 1
"""v6: results proven at end nodes travel up the tree."""
FORCED = 2
"""v8: forced replies are the only ones expanded, double threats decide."""
RIGHT_DISTANCES = 4
"""v12: the shortest win, the longest resistance, and two plies for a double threat."""
URGENT = 8
"""v13: a node just expanded is visited once more before its siblings are expanded."""
PASS_SOLVED = 16
"""v18: selection passes over every solved child, not only over draws."""

USED, STATE, NEW, OLD, DEPTH, NODES = range(6)
"""Counters that outlast a chunk: integers used, generator, new and repeated descents, deepest
descent, nodes."""
COUNTERS = 6

ONE = np.uint64(1)


@inlined
def solve(tree: Tree, at: Integer, k: Integer, flags: int) -> Any:
    """What a node's children prove of it: its meta with outcome and distance, or as it was."""
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
def settle(tree: Tree, at: Integer, k: Integer, outcome: Integer, flags: int) -> int:
    """Give a solved node its certain score; twice its result for the mover."""
    points = points_of(outcome)
    passed = flags & PASS_SOLVED or (flags & SOLVE and outcome == DRAWN)
    # A solved draw that could be chosen again would hold the search for ever.
    tree[at + k] = PASSED_OVER if passed else points * tree[at]
    return points


@inlined
def back_up(
    tree: Tree, path: NDArray[np.int32], depth: int, points: int, solved: bool, flags: int
) -> None:
    """Count a descent along its path.

    Args:
        tree: see `bots.uct.record`.
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
            points = settle(tree, at, k, outcome, flags)
        points = 2 - points


def _search_on(layout: ModuleType) -> Callable[..., None]:
    """The search on the sets of cells of `engine.lanes` or `engine.vector`."""
    load, either, both = layout.load, layout.either, layout.both
    any_cell, several, columns_of = layout.any_cell, layout.several, layout.columns_of
    in_columns, playable, threats = layout.in_columns, layout.playable, layout.threats
    connects = layout.connects
    playout = playout_on(layout)

    @inlined
    def search(
        stones: WordArray,
        board: WordArray,
        tree: Tree,
        path: NDArray[np.int32],
        counters: NDArray[np.uint64],
        flags: int,
        c: float,
        simulations: int,
        descents: int,
    ) -> None:
        root_own, root_other = load(stones, MOVER), load(stones, OPPONENT)
        bottoms, cells = load(board, BOTTOMS), load(board, CELLS)
        root_occupied = either(either(root_own, root_other), load(board, FORBIDDEN))
        random = counters[STATE]
        used = np.int64(counters[USED])
        limit = len(tree) - SLACK
        new = 0
        old = 0
        nodes = 0
        deepest = np.int64(counters[DEPTH])
        while new < simulations and new + old < descents:
            own, other, occupied = root_own, root_other, root_occupied
            at = np.int64(ROOT)
            k = np.int64(1)
            depth = 0
            path[0] = ROOT
            path[1] = 1
            created = False
            points = -1
            while True:
                meta = np.int64(tree[at + 3 * k])
                if outcome_of(meta) != OPEN:
                    points = points_of(outcome_of(meta))
                    break
                first = np.int64(tree[at + 2 * k])
                tries = np.uint64(meta & COLUMNS)
                if tries:
                    if first == 0:
                        room = np.int64(popcount64(tries))
                        if used + HEAD + FIELDS * room > limit:
                            break
                        first = used + HEAD
                        tree[used] = room
                        tree[used + 1] = 0
                        tree[at + 2 * k] = first
                        used += HEAD + FIELDS * room
                    head = np.int64(tree[first - HEAD])
                    siblings = head & 255
                    child = first + (head >> 8)
                    if (
                        flags & URGENT
                        and child > first
                        and tree[child - 1] == 1
                        and outcome_of(tree[child - 1 + 3 * siblings]) == OPEN
                    ):
                        child -= 1
                        move = ONE << np.uint64(column_of(tree[child + 3 * siblings]))
                    else:
                        random = step_random(random)
                        move = kth_bit(tries, below_random(random, popcount64(tries)))
                        tree[at + 3 * k] = meta & ~np.int64(move)
                        tree[first - HEAD] = head + 256
                        created = True
                else:
                    siblings = np.int64(tree[first - HEAD]) & 255
                    child = first
                    if siblings > 1:
                        child = most_urgent(tree, first, siblings, exploration(c, tree[at]))
                    move = ONE << np.uint64(column_of(tree[child + 3 * siblings]))
                stone = in_columns(playable(occupied, bottoms, cells), move)
                own, other = other, either(own, stone)
                occupied = either(occupied, stone)
                at = child
                k = siblings
                depth += 1
                path[2 * depth] = at
                path[2 * depth + 1] = k
                if created:
                    break
            solved = False
            if points < 0:
                landing = playable(occupied, bottoms, cells)
                own_threats = threats(own)
                other_threats = threats(other)
                new += 1
                if created:
                    nodes += 1
                    outcome = OPEN
                    distance = 0
                    tries = columns_of(landing)
                    # Deeper down the side to move had no win: its node would have been an end.
                    if depth == 1 and connects(other):
                        outcome = WON
                    elif not tries:
                        outcome = DRAWN
                    elif any_cell(both(landing, own_threats)):
                        outcome = LOST
                        distance = 1
                    elif flags & FORCED:
                        blocks = both(landing, other_threats)
                        if several(blocks):
                            outcome = WON
                            distance = 2 if flags & RIGHT_DISTANCES else 1
                        elif any_cell(blocks):
                            tries = columns_of(blocks)
                    tree[at] = 0
                    tree[at + k] = 0
                    tree[at + 2 * k] = 0
                    tree[at + 3 * k] = (
                        np.int64(tries)
                        | np.int64(trailing_zeros64(move)) << COLUMN
                        | outcome << OUTCOME
                        | distance << DISTANCE
                    )
                    if outcome != OPEN:
                        solved = True
                        points = points_of(outcome)
                if points < 0:
                    result, random = playout(
                        own,
                        other,
                        occupied,
                        landing,
                        own_threats,
                        other_threats,
                        bottoms,
                        cells,
                        random,
                    )
                    points = 2 - result
            else:
                old += 1
            back_up(tree, path, depth, points, solved, flags)
            deepest = max(deepest, np.int64(depth))
            if flags & SOLVE and outcome_of(tree[ROOT + 3]) != OPEN:
                break
        counters[STATE] = random
        counters[USED] = np.uint64(used)
        counters[NEW] += np.uint64(new)
        counters[OLD] += np.uint64(old)
        counters[NODES] += np.uint64(nodes)
        counters[DEPTH] = np.uint64(deepest)

    return search


_search = _search_on(vector)
_search_plain = _search_on(lanes)


@kernel
def search(
    stones: WordArray,
    board: WordArray,
    tree: Tree,
    path: NDArray[np.int32],
    counters: NDArray[np.uint64],
    flags: int,
    c: float,
    simulations: int,
    descents: int,
) -> None:
    """Make so many new simulations, or so many descents altogether; stop when the root is solved.

    Args:
        stones: shape (2, 3), from `engine.lanes.stone_words`.
        board: shape (3, 3), from `engine.lanes.board_words`.
        tree: see `bots.uct.record`; holds at least the root's block.
        path: room for a descent, two integers a ply.
        counters: see `USED` and its companions; changed.
        flags: the version's switches.
        c: exploration constant.
        simulations: new rollouts or end nodes to make.
        descents: limit on all descents, those into solved nodes included.

    """
    _search(stones, board, tree, path, counters, flags, c, simulations, descents)


@kernel
def search_plain(
    stones: WordArray,
    board: WordArray,
    tree: Tree,
    path: NDArray[np.int32],
    counters: NDArray[np.uint64],
    flags: int,
    c: float,
    simulations: int,
    descents: int,
) -> None:
    """As `search`, on plain 64-bit words."""
    _search_plain(stones, board, tree, path, counters, flags, c, simulations, descents)
