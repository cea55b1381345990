"""A tree search in which new nodes get their value from the learned evaluation.

A descent ends at a node without children: its children are made and evaluated at once, and the best
one's value is backed up, so every descent looks one ply ahead. v22 mixes in the result of one
careful rollout, which is noisy, but wrong in other positions than the evaluation. The tree is that
of `bots.uct.tree`, with scores in parts of `WHOLE`.
"""

from typing import Any, NamedTuple

import numpy as np

from bots.learned.network import WHOLE, Evaluation, count_cells, evaluate
from bots.learned.patterns import odd_from_top
from bots.uct import nodes as form
from bots.uct.leaf import Outlook, expansion_on, look_on
from bots.uct.parameters import CAREFUL, FORCED, LEAVE_SOLVED, RIGHT_DISTANCES, SOLVE
from bots.uct.tree.memory import PASSED_OVER, ROOT, TreeMemory, choose_child
from bots.uct.tree.search import Node, Policies, search_on
from engine import vector
from engine.bits import ONE, below_random, kth_bit, popcount64, step_random, trailing_zeros64
from engine.compiled import inlined, lean, lean_kernel
from engine.lanes import FORBIDDEN
from engine.layout import MAX_SIDE


@inlined
def roll_out(outlook: Outlook, random: np.uint64, keeping: bool) -> tuple[int, np.uint64]:
    """Return twice the result of a careful rollout for the side to move, and the generator.

    Args:
        outlook: the position, in which no side has connected four.
        random: the generator's state.
        keeping: whether a side avoids columns below its own winning cells while it has another one:
            the opponent would fill such a cell.

    """
    own, other, occupied, landing, own_threats, other_threats, bottoms, cells = outlook
    second = 0  # 1 while `own` is the side that did not start
    while True:
        columns = vector.columns_of(landing)
        blocks = vector.columns_of(landing & other_threats)
        above = vector.playable(occupied | landing, bottoms, cells)
        safe = columns & ~vector.columns_of(above & other_threats)
        kept = safe & ~vector.columns_of(above & own_threats)
        if vector.columns_of(landing & own_threats):
            return 2 - 2 * second, random
        if not columns:
            return 1, random
        if keeping:
            safe = kept if kept else safe
        stepped = step_random(random)
        choices = blocks if blocks else safe
        random = random if blocks else stepped
        if not choices or blocks & (blocks - ONE):
            return 2 * second, random
        rank = below_random(random, popcount64(choices))
        stone = vector.in_columns(landing, kth_bit(choices, rank))
        own = own | stone
        occupied = occupied | stone
        landing = vector.playable(occupied, bottoms, cells)
        own_threats, other_threats = other_threats, vector.threats(own)
        own, other = other, own
        second = 1 - second


MAX_COLUMNS = np.uint64(MAX_SIDE)

SWITCHES = SOLVE | FORCED | RIGHT_DISTANCES | CAREFUL | LEAVE_SOLVED
"""The flags of `bots.uct.parameters` that are always on here."""
PARTS = 256
"""Denominator of `mixed`, the share of a rollout in a new node's value."""

MOST_VISITS = (2**31 - 1) // WHOLE
"""Largest number of visits of a root: its children's scores are 32-bit integers, and a win adds
WHOLE."""


class Parameters(NamedTuple):
    """The parameters of a version."""

    c: float
    """Exploration constant."""
    evaluation: Evaluation
    """The weights."""
    mixed: int
    """Share of a rollout in a new node's value, of `PARTS`."""
    keeping: bool
    """Whether rollouts keep their threats, see `roll_out`."""
    fourth_root: bool
    """Whether exploration grows with the fourth root of the parent's visits."""
    flags: int = SWITCHES
    """What `bots.uct.tree.search` reads; the same in every version."""


look = look_on(vector)
_expand = expansion_on(vector)


@lean
def _step(
    memory: TreeMemory, parameters: Parameters, node: Node, used: np.int64, random: np.uint64
) -> tuple[np.int64, np.int64, np.uint64, bool, np.int64, np.uint64]:
    """Choose a child; a node without children ends the descent."""
    tree = memory.tree
    first = np.int64(tree[node.at + 2 * node.k])
    if first == 0:
        return first, node.k, ONE, False, used, random
    siblings = np.int64(tree[first - form.HEAD]) & 255
    child = choose_child(tree, node.at, first, siblings, parameters.c, parameters.fourth_root)
    move = ONE << np.uint64(form.column_of(np.int64(tree[child + 3 * siblings])))
    return child, siblings, move, False, used, random


@lean
def _value(
    memory: TreeMemory,
    parameters: Parameters,
    node: Node,
    created: bool,  # noqa: ARG001 - always False: `_step` makes no child
    used: np.int64,
    random: np.uint64,
) -> tuple[np.int64, bool, np.int64, np.int64, np.uint64]:
    """Make all children of a node; its value is that of the best one, mixed with a rollout."""
    tree, board = memory.tree, memory.board
    at, k, depth, own, other, occupied, bottoms, cells = node
    meta = np.int64(tree[at + 3 * k])
    tries = np.uint64(meta & form.COLUMNS)
    room = np.int64(popcount64(tries))
    size = form.HEAD + form.FIELDS * room
    if used + size > len(tree) - form.SLACK:
        # The tree is full: use the static value.
        mean = np.int64(tree[at + k]) // max(np.int64(tree[at]), np.int64(1))
        return mean, False, np.int64(0), used, random
    first = used + form.HEAD
    tree[first - form.HEAD] = room | room << 8
    tree[first - 1] = 0
    tree[at + 2 * k] = first
    tree[at + 3 * k] = meta & ~form.COLUMNS
    # The children's values take the place of its static one.
    tree[at] = 0
    tree[at + k] = 0
    forbidden = vector.load(board, FORBIDDEN)
    odd_cells = odd_from_top(cells)
    landing = vector.playable(occupied, bottoms, cells)
    other_threats = vector.threats(other)
    empty = count_cells(vector.without(cells, occupied)) - 1
    solved = False
    best: Any = np.int64(0)
    child = first
    value: Any = np.int64(0)
    # The first of equals is chosen, so the order begins at a random column: another seed makes
    # another search.
    random = step_random(random)
    turn = below_random(random, MAX_COLUMNS)
    while tries:
        later = tries >> turn << turn
        move = later & (~later + ONE) if later else tries & (~tries + ONE)
        tries ^= move
        stone = vector.in_columns(landing, move)
        mine = own | stone
        filled = occupied | stone
        below = vector.playable(filled, bottoms, cells)
        my_threats = vector.threats(mine)
        after = Outlook(other, mine, filled, below, other_threats, my_threats, bottoms, cells)
        outcome, distance, replies = _expand(after, depth == 0, SWITCHES)
        if outcome == form.OPEN:
            value = WHOLE - evaluate(after, forbidden, odd_cells, empty, parameters.evaluation)
            tree[child + room] = value
        else:
            value = np.int64(form.points_of(outcome, WHOLE))
            tree[child + room] = PASSED_OVER
            solved = True
        tree[child] = 1
        tree[child + 2 * room] = 0
        tree[child + 3 * room] = (
            np.int64(replies)
            | np.int64(trailing_zeros64(move)) << form.COLUMN
            | outcome << form.OUTCOME
            | distance << form.DISTANCE
        )
        best = max(best, value)
        child += 1
    points = WHOLE - best
    mixed = parameters.mixed
    if mixed and best < WHOLE:
        outlook = look(own, other, occupied, bottoms, cells)
        result, random = roll_out(outlook, random, parameters.keeping)
        points = (points * (PARTS - mixed) + (2 - result) * (WHOLE // 2) * mixed) // PARTS
    return points, solved, room, used + size, random


_search = search_on(vector, Policies(_step, _value, WHOLE))


@lean_kernel
def search(memory: TreeMemory, parameters: Parameters, simulations: int, descents: int) -> None:
    """Expand `simulations` nodes or make `descents` descents.

    The search also stops if the root is solved or has `MOST_VISITS`.

    Args:
        memory: the search's memory; tree, path and counters are updated.
        parameters: the version's parameters.
        simulations: number of nodes to expand.
        descents: limit of all descents.

    """
    left = MOST_VISITS - memory.tree[ROOT]
    _search(memory, parameters, simulations, min(descents, left))
