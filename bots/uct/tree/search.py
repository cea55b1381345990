"""UCT on a tree (v5 on): one loop, `search_on`, built with policies on two layouts.

`search_plain` runs on 64-bit words (v5 to v9), `search` on vector registers (v10 on). Both make
the same decisions from the same random state. `bots.uct.no_lookahead` and `bots.learned` build
theirs with other policies.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

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
from engine.compiled import lean, lean_kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT

SHIFT_CAREFUL = np.uint64(40)
BYTE = np.uint64(255)
"""Mask of the generator's bits that decide whether a rollout is careful."""


class Node(NamedTuple):
    """The node that a descent has reached, and its position as sets of the layout."""

    at: np.int64
    """Place and stride of the node, see `bots.uct.tree.memory`."""
    k: np.int64
    depth: int
    """Plies from the root."""
    own: Any
    """Stones of the side to move."""
    other: Any
    occupied: Any
    """All stones and the forbidden cell."""
    bottoms: Any
    """Lowest cell of each column."""
    cells: Any
    """Cells of the board."""


class Policies(NamedTuple):
    """The interchangeable parts of a search, selected at compile time.

    `step` and `value` take the search's memory, the version's parameters, which have `flags`, and
    an open node. Both take and return the used integers of the tree and the generator's state, as
    the last two.
    """

    step: Callable[..., tuple[np.int64, np.int64, np.uint64, bool, np.int64, np.uint64]]
    """Choose or make the child with which the descent goes on: its place (0 if the descent ends at
    the node), its stride, its column as a bit, and whether it is new."""
    value: Callable[..., tuple[Any, bool, np.int64, np.int64, np.uint64]]
    """Value the last node of a descent, told whether it is new: the points of its mover, whether it
    or a child of it is solved, and the number of nodes made."""
    win: int
    """Points of a win."""


def single_child_policies(
    layout: ModuleType,
    expand: Callable[..., tuple[int, int, np.uint64]],
    rollout: Callable[..., tuple[int, np.uint64]],
    in_order: bool,
) -> Policies:
    """Build the policies that visit one new child in a descent and value it by a rollout.

    Args:
        layout: `engine.lanes` or `engine.vector`.
        expand: the expansion of a new node, see `bots.uct.leaf`.
        rollout: a rollout as in `bots.uct.leaf`, with the parameters in place of `careful`.
        in_order: whether to expand the leftmost column first instead of a random one.

    """
    look = look_on(layout)
    in_vector = layout is vector

    @lean
    def step(
        memory: TreeMemory, parameters: UctParameters, node: Node, used: np.int64, random: np.uint64
    ) -> tuple[np.int64, np.int64, np.uint64, bool, np.int64, np.uint64]:
        tree, flags = memory.tree, parameters.flags
        at, k, _, own, other, occupied, bottoms, cells = node
        limit = len(tree) - form.SLACK
        meta = np.int64(tree[at + 3 * k])
        first = np.int64(tree[at + 2 * k])
        tries = np.uint64(meta & form.COLUMNS)
        room = np.int64(popcount64(tries))
        size = form.HEAD + form.FIELDS * room
        if in_vector:  # noqa: SIM102 - first play exists on vectors only
            if tries and flags & FIRST_PLAY:
                if used + size > limit:
                    return np.int64(0), k, tries, False, used, random
                first = used + form.HEAD
                tree[at + 2 * k] = first
                tree[at + 3 * k] = meta & ~form.COLUMNS
                used += size
                outlook = look(own, other, occupied, bottoms, cells)
                first_play(tree, at, k, first, tries, outlook, memory.order, parameters)
                tries = np.uint64(0)
        if not tries:
            siblings = np.int64(tree[first - form.HEAD]) & 255
            child = choose_child(tree, at, first, siblings, parameters.c, False)
            child_meta = np.int64(tree[child + 3 * siblings])
            move = ONE << np.uint64(form.column_of(child_meta))
            return child, siblings, move, (child_meta & form.UNSEEN) != 0, used, random
        if first == 0:
            if used + size > limit:
                return np.int64(0), k, tries, False, used, random
            first = used + form.HEAD
            tree[used] = room
            tree[used + 1] = 0
            tree[at + 2 * k] = first
            used += size
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
            return child, siblings, move, False, used, random
        if in_order:
            move = tries & (~tries + ONE)
        else:
            random = step_random(random)
            move = kth_bit(tries, below_random(random, popcount64(tries)))
        tree[at + 3 * k] = meta & ~np.int64(move)
        tree[first - form.HEAD] = head + 256
        tree[child + 3 * siblings] = np.int64(trailing_zeros64(move)) << form.COLUMN
        return child, siblings, move, True, used, random

    @lean
    def value(
        memory: TreeMemory,
        parameters: UctParameters,
        node: Node,
        created: bool,
        used: np.int64,
        random: np.uint64,
    ) -> tuple[int, bool, np.int64, np.int64, np.uint64]:
        tree, flags = memory.tree, parameters.flags
        at, k, depth, own, other, occupied, bottoms, cells = node
        outlook = look(own, other, occupied, bottoms, cells)
        if created:
            # Deeper, nobody can have connected four: the node above would be an end.
            outcome, distance, tries = expand(outlook, depth == 1, flags)
            # `first_play` has written visits and score.
            if not flags & FIRST_PLAY:
                tree[at] = 0
                tree[at + k] = 0
            tree[at + 2 * k] = 0
            tree[at + 3 * k] = (
                np.int64(tries)
                | form.column_of(np.int64(tree[at + 3 * k])) << form.COLUMN
                | outcome << form.OUTCOME
                | distance << form.DISTANCE
            )
            if outcome != form.OPEN:
                points = form.points_of(outcome, form.WIN_POINTS)
                return points, True, np.int64(1), used, random
        result, random = rollout(outlook, random, parameters)
        return 2 - result, False, np.int64(created), used, random

    return Policies(step, value, form.WIN_POINTS)


def look_ahead_policies(layout: ModuleType) -> Policies:
    """Build the policies of v5 on: look-ahead, and expansion in random order."""
    rollout = rollout_on(layout)

    @lean
    def rollout_of_version(
        outlook: Outlook, random: np.uint64, parameters: UctParameters
    ) -> tuple[int, np.uint64]:
        careful = np.int64(random >> SHIFT_CAREFUL & BYTE) < parameters.careful_rollouts
        return rollout(outlook, random, careful)

    return single_child_policies(layout, expansion_on(layout), rollout_of_version, in_order=False)


def search_on(layout: ModuleType, policies: Policies) -> Callable[..., None]:
    """Build the search with these policies, for sets of `engine.lanes` or `engine.vector`."""
    load, either = layout.load, layout.either
    in_columns, playable = layout.in_columns, layout.playable
    step, value, win = policies

    @lean
    def search(memory: TreeMemory, parameters: Any, simulations: int, descents: int) -> None:
        stones, board, tree, path, counters, _ = memory
        root_own, root_other = load(stones, MOVER), load(stones, OPPONENT)
        bottoms, cells = load(board, BOTTOMS), load(board, CELLS)
        root_occupied = either(either(root_own, root_other), load(board, FORBIDDEN))
        random = counters[STATE]
        used = np.int64(counters[USED])
        new = 0
        old = 0
        nodes = np.int64(0)
        deepest = np.int64(counters[DEPTH])
        while new < simulations and new + old < descents:
            own, other, occupied = root_own, root_other, root_occupied
            at = np.int64(ROOT)
            k = np.int64(1)
            depth = 0
            path[0] = ROOT
            path[1] = 1
            created = False
            outcome: Any = form.OPEN
            while not created:
                outcome = form.outcome_of(np.int64(tree[at + 3 * k]))
                if outcome != form.OPEN:
                    break
                prefetch_children(tree, np.int64(tree[at + 2 * k]))
                node = Node(at, k, depth, own, other, occupied, bottoms, cells)
                child, siblings, move, created, used, random = step(
                    memory, parameters, node, used, random
                )
                if child == 0:
                    break
                stone = in_columns(playable(occupied, bottoms, cells), move)
                own, other = other, either(own, stone)
                occupied = either(occupied, stone)
                at = child
                k = siblings
                depth += 1
                path[2 * depth] = at
                path[2 * depth + 1] = k
            if outcome == form.OPEN:
                node = Node(at, k, depth, own, other, occupied, bottoms, cells)
                points, solved, made, used, random = value(
                    memory, parameters, node, created, used, random
                )
                new += 1
                nodes += made
            else:
                points, solved = form.points_of(outcome, win), False
                old += 1
            back_up(tree, path, depth, points, solved, win, parameters.flags)
            deepest = max(deepest, np.int64(depth))
            if parameters.flags & SOLVE and form.outcome_of(tree[ROOT + 3]) != form.OPEN:
                break
        count_descents(memory, used, random, new, old, nodes, deepest)

    return search


_search = search_on(vector, look_ahead_policies(vector))
_search_plain = search_on(lanes, look_ahead_policies(lanes))


@lean_kernel
def search(memory: TreeMemory, parameters: UctParameters, simulations: int, descents: int) -> None:
    """Search until `simulations` or `descents` are made or the root is solved.

    Args:
        memory: the search's memory; tree, path and counters are updated.
        parameters: the version's parameters.
        simulations: number of new rollouts or end nodes.
        descents: limit of all descents, including those into solved nodes.

    """
    _search(memory, parameters, simulations, descents)


@lean_kernel
def search_plain(
    memory: TreeMemory, parameters: UctParameters, simulations: int, descents: int
) -> None:
    """Search on plain 64-bit words, with the arguments and decisions of `search`."""
    _search_plain(memory, parameters, simulations, descents)
