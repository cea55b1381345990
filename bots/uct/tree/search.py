"""UCT on a tree (v5 on): one search with switches, built on two layouts.

`search_plain` runs on 64-bit words (v5 to v9), `search` on vector registers (v10 on). Both make
the same decisions from the same random state.
"""

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np

from bots.uct import nodes as form
from bots.uct.leaf import Outlook, expansion_on, look_on, rollout_on
from bots.uct.parameters import FIRST_PLAY, SOLVE, URGENT, UctParameters
from bots.uct.tree.first_play import first_play
from bots.uct.tree.memory import (
    DEPTH,
    ROOT,
    STATE,
    USED,
    TreeMemory,
    back_up,
    choose_child,
    count_descents,
    prefetch_children,
)
from engine import lanes, vector
from engine.bits import ONE, below_random, kth_bit, popcount64, step_random, trailing_zeros64
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT

SHIFT_CAREFUL = np.uint64(40)
BYTE = np.uint64(255)
"""Mask of the generator's bits that decide whether a rollout is careful."""


class Policies(NamedTuple):
    """The interchangeable parts of a search, selected at compile time."""

    expand: Callable[..., tuple[int, int, np.uint64]]
    """Expansion of a new node, see `bots.uct.leaf`."""
    rollout: Callable[..., tuple[int, np.uint64]]
    """Rollout, as in `bots.uct.leaf`, with the version's parameters as the last argument."""
    in_order: bool
    """Whether to expand the leftmost column first instead of a random one."""


def look_ahead_policies(layout: ModuleType) -> Policies:
    """Build the policies of v5 on: look-ahead, and expansion in random order."""
    rollout = rollout_on(layout)

    @inlined
    def rollout_of_version(
        outlook: Outlook, random: np.uint64, parameters: UctParameters
    ) -> tuple[int, np.uint64]:
        careful = np.int64(random >> SHIFT_CAREFUL & BYTE) < parameters.careful_rollouts
        return rollout(outlook, random, careful)

    return Policies(expansion_on(layout), rollout_of_version, in_order=False)


def search_on(layout: ModuleType, policies: Policies) -> Callable[..., None]:
    """Build the search for sets of `engine.lanes` or `engine.vector`."""
    load, either = layout.load, layout.either
    in_columns, playable, look = layout.in_columns, layout.playable, look_on(layout)
    in_vector = layout is vector
    expand, rollout_of_version, in_order = policies

    @inlined
    def search(
        memory: TreeMemory, parameters: UctParameters, simulations: int, descents: int
    ) -> None:
        stones, board, tree, path, counters, order = memory
        flags = parameters.flags
        root_own, root_other = load(stones, MOVER), load(stones, OPPONENT)
        bottoms, cells = load(board, BOTTOMS), load(board, CELLS)
        root_occupied = either(either(root_own, root_other), load(board, FORBIDDEN))
        random = counters[STATE]
        used = np.int64(counters[USED])
        limit = len(tree) - form.SLACK
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
                if form.outcome_of(meta) != form.OPEN:
                    points = form.points_of(form.outcome_of(meta), form.WIN_POINTS)
                    break
                first = np.int64(tree[at + 2 * k])
                prefetch_children(tree, first)
                tries = np.uint64(meta & form.COLUMNS)
                if in_vector:  # noqa: SIM102 - compiled on words, it would need new threats there
                    if tries and flags & FIRST_PLAY:
                        room = np.int64(popcount64(tries))
                        if used + form.HEAD + form.FIELDS * room > limit:
                            break
                        first = used + form.HEAD
                        tree[at + 2 * k] = first
                        tree[at + 3 * k] = meta & ~form.COLUMNS
                        used += form.HEAD + form.FIELDS * room
                        outlook = look(own, other, occupied, bottoms, cells)
                        first_play(tree, at, k, first, tries, outlook, order, parameters)
                        tries = np.uint64(0)
                if tries:
                    if first == 0:
                        room = np.int64(popcount64(tries))
                        if used + form.HEAD + form.FIELDS * room > limit:
                            break
                        first = used + form.HEAD
                        tree[used] = room
                        tree[used + 1] = 0
                        tree[at + 2 * k] = first
                        used += form.HEAD + form.FIELDS * room
                    head = np.int64(tree[first - form.HEAD])
                    siblings = head & 255
                    child = first + (head >> 8)
                    if (
                        flags & URGENT
                        and child > first
                        and tree[child - 1] == 1
                        and form.outcome_of(tree[child - 1 + 3 * siblings]) == form.OPEN
                    ):
                        child -= 1
                        move = ONE << np.uint64(form.column_of(tree[child + 3 * siblings]))
                    else:
                        if in_order:
                            move = tries & (~tries + ONE)
                        else:
                            random = step_random(random)
                            move = kth_bit(tries, below_random(random, popcount64(tries)))
                        tree[at + 3 * k] = meta & ~np.int64(move)
                        tree[first - form.HEAD] = head + 256
                        created = True
                else:
                    siblings = np.int64(tree[first - form.HEAD]) & 255
                    child = choose_child(tree, at, first, siblings, parameters.c, False)
                    child_meta = np.int64(tree[child + 3 * siblings])
                    move = ONE << np.uint64(form.column_of(child_meta))
                    created = (child_meta & form.UNSEEN) != 0
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
                outlook = look(own, other, occupied, bottoms, cells)
                new += 1
                if created:
                    nodes += 1
                    # Below it, the side to move had no win, or its node would be an end.
                    outcome, distance, tries = expand(outlook, depth == 1, flags)
                    if not flags & FIRST_PLAY:
                        tree[at] = 0
                        tree[at + k] = 0
                    tree[at + 2 * k] = 0
                    tree[at + 3 * k] = (
                        np.int64(tries)
                        | np.int64(trailing_zeros64(move)) << form.COLUMN
                        | outcome << form.OUTCOME
                        | distance << form.DISTANCE
                    )
                    if outcome != form.OPEN:
                        solved = True
                        points = form.points_of(outcome, form.WIN_POINTS)
                if points < 0:
                    result, random = rollout_of_version(outlook, random, parameters)
                    points = 2 - result
            else:
                old += 1
            back_up(tree, path, depth, points, solved, form.WIN_POINTS, flags)
            deepest = max(deepest, np.int64(depth))
            if flags & SOLVE and form.outcome_of(tree[ROOT + 3]) != form.OPEN:
                break
        count_descents(memory, used, random, new, old, nodes, deepest)

    return search


_search = search_on(vector, look_ahead_policies(vector))
_search_plain = search_on(lanes, look_ahead_policies(lanes))


@kernel
def search(memory: TreeMemory, parameters: UctParameters, simulations: int, descents: int) -> None:
    """Search until `simulations` or `descents` are made or the root is solved.

    Args:
        memory: the search's memory; tree, path and counters are updated.
        parameters: the version's parameters.
        simulations: number of new rollouts or end nodes.
        descents: limit of all descents, including those into solved nodes.

    """
    _search(memory, parameters, simulations, descents)


@kernel
def search_plain(
    memory: TreeMemory, parameters: UctParameters, simulations: int, descents: int
) -> None:
    """Search on plain 64-bit words, with the arguments and decisions of `search`."""
    _search_plain(memory, parameters, simulations, descents)
