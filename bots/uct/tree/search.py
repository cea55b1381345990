"""UCT over a tree, v5 on: one search with switches, written once and built on two layouts.

`search_plain` runs on 64-bit words (v5 to v9), `search` on vector registers (v10 on). Both make
the same decisions from the same random state.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.uct.expansion import first_sight_on
from bots.uct.meta import (
    COLUMN,
    COLUMNS,
    DISTANCE,
    OUTCOME,
    UNSEEN,
    column_of,
    outcome_of,
    points_of,
)
from bots.uct.outcome import OPEN
from bots.uct.rollout import playout_on
from bots.uct.siblings import FIELDS, HEAD, SLACK
from bots.uct.switches import EXPECT, SOLVE, URGENT, Dials
from bots.uct.tree.backup import back_up
from bots.uct.tree.first_play import expect_on
from bots.uct.tree.layout import ROOT, Tree
from bots.uct.ucb import exploration
from bots.uct.ucb_vector import most_urgent
from engine import lanes, vector
from engine.bits import (
    ONE,
    below_random,
    kth_bit,
    popcount64,
    prefetch,
    step_random,
    trailing_zeros64,
)
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray

USED, STATE, NEW, OLD, DEPTH, NODES = range(6)
"""Counters that outlast a chunk: integers used, generator, new and repeated descents, deepest
descent, nodes."""
COUNTERS = 6

SHIFT_CAREFUL = np.uint64(40)
BYTE = np.uint64(255)
"""Which bits of the generator decide whether a rollout is played carefully."""


class Pieces(NamedTuple):
    """What a search is put together from; chosen when it is compiled."""

    first_sight: Callable[..., tuple[int, int, np.uint64]]
    """What a new node shows, see `bots.uct.expansion`."""
    roll: Callable[..., tuple[int, np.uint64]]
    """A rollout, see `bots.uct.rollout`; it takes the dials instead of whether to be careful."""
    in_order: bool
    """Whether the leftmost column is expanded first instead of a random one."""


def _look_ahead_on(layout: ModuleType) -> Pieces:
    """The pieces of v5 on."""
    playout = playout_on(layout)

    @inlined
    def roll(
        own: Any,
        other: Any,
        occupied: Any,
        landing: Any,
        own_threats: Any,
        other_threats: Any,
        bottoms: Any,
        cells: Any,
        random: np.uint64,
        dials: Dials,
    ) -> tuple[int, np.uint64]:
        careful = np.int64(random >> SHIFT_CAREFUL & BYTE) < dials.careful
        return playout(
            own,
            other,
            occupied,
            landing,
            own_threats,
            other_threats,
            bottoms,
            cells,
            random,
            careful,
        )

    return Pieces(first_sight_on(layout), roll, in_order=False)


def search_on(layout: ModuleType, pieces: Pieces) -> Callable[..., None]:
    """The search on the sets of cells of `engine.lanes` or `engine.vector`."""
    load, either = layout.load, layout.either
    in_columns, playable, threats = layout.in_columns, layout.playable, layout.threats
    expect = expect_on(layout)
    first_sight, roll, in_order = pieces

    @inlined
    def search(
        stones: WordArray,
        board: WordArray,
        tree: Tree,
        path: NDArray[np.int32],
        counters: NDArray[np.uint64],
        flags: int,
        dials: Dials,
        order: NDArray[np.int64],
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
                # The lines of the children's block, all at once; far ones would come one by one.
                prefetch(tree, first + 14)
                prefetch(tree, first + 30)
                prefetch(tree, first + 43)
                tries = np.uint64(meta & COLUMNS)
                if tries and flags & EXPECT:
                    room = np.int64(popcount64(tries))
                    if used + HEAD + FIELDS * room > limit:
                        break
                    first = used + HEAD
                    tree[at + 2 * k] = first
                    tree[at + 3 * k] = meta & ~COLUMNS
                    used += HEAD + FIELDS * room
                    expect(
                        tree,
                        at,
                        k,
                        first,
                        room,
                        tries,
                        own,
                        other,
                        occupied,
                        bottoms,
                        cells,
                        order,
                        dials.expect,
                        dials.hint,
                    )
                    tries = np.uint64(0)
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
                        if in_order:
                            move = tries & (~tries + ONE)
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
                        child = most_urgent(
                            tree, first, siblings, exploration(dials.c, max(tree[at], 1))
                        )
                    child_meta = np.int64(tree[child + 3 * siblings])
                    move = ONE << np.uint64(column_of(child_meta))
                    created = (child_meta & UNSEEN) != 0
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
                    # Deeper down the side to move had no win: its node would have been an end.
                    outcome, distance, tries = first_sight(
                        other,
                        occupied,
                        landing,
                        own_threats,
                        other_threats,
                        bottoms,
                        cells,
                        depth == 1,
                        flags,
                    )
                    if not flags & EXPECT:
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
                    result, random = roll(
                        own,
                        other,
                        occupied,
                        landing,
                        own_threats,
                        other_threats,
                        bottoms,
                        cells,
                        random,
                        dials,
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


_search = search_on(vector, _look_ahead_on(vector))
_search_plain = search_on(lanes, _look_ahead_on(lanes))


@kernel
def search(
    stones: WordArray,
    board: WordArray,
    tree: Tree,
    path: NDArray[np.int32],
    counters: NDArray[np.uint64],
    flags: int,
    dials: Dials,
    order: NDArray[np.int64],
    simulations: int,
    descents: int,
) -> None:
    """Make so many new simulations, or so many descents altogether; stop when the root is solved.

    Args:
        stones: shape (2, 3), from `engine.lanes.stone_words`.
        board: shape (3, 3), from `engine.lanes.board_words`.
        tree: see `bots.uct.tree.layout`; holds at least the root's block.
        path: room for a descent, two integers a ply.
        counters: see `USED` and its companions; changed.
        flags: the version's switches.
        dials: its numbers.
        order: the columns, those to be looked at first in front.
        simulations: new rollouts or end nodes to make.
        descents: limit on all descents, those into solved nodes included.

    """
    _search(
        stones,
        board,
        tree,
        path,
        counters,
        flags,
        dials,
        order,
        simulations,
        descents,
    )


@kernel
def search_plain(
    stones: WordArray,
    board: WordArray,
    tree: Tree,
    path: NDArray[np.int32],
    counters: NDArray[np.uint64],
    flags: int,
    dials: Dials,
    order: NDArray[np.int64],
    simulations: int,
    descents: int,
) -> None:
    """As `search`, on plain 64-bit words."""
    _search_plain(
        stones,
        board,
        tree,
        path,
        counters,
        flags,
        dials,
        order,
        simulations,
        descents,
    )
