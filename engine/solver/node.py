"""Nodes of the search: what is known without one, and the entry of a node.

Without a search there are forced play, bounds on the score, and a position's key. In a node the
mover has no immediate win, no move is forced, and several moves do not lose at once; `settle_on`
plays all other positions without a node. A child is the next node after a move and the forced moves
that follow it. The sets are those of `engine.solver.word` or `engine.solver.wide`.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from engine.compiled import lean
from engine.solver import memory as at
from engine.solver.memory import Integers, SolverMemory, SolverQuestion

# outcomes of `settle`
LOST, DRAWN, OPEN = 0, 1, 2
FAR = 1000
"""A number beyond all scores."""


class Node(NamedTuple):
    """A position in which several moves do not lose at once."""

    own: Any
    other: Any
    moves: Any
    """The cells of these moves."""
    ply: Any


class Lines(NamedTuple):
    """A position, with what is left of each side's fours."""

    own: Any
    other: Any
    own_lines: Any
    """The cells of the open fours of `own`: lines without a stone of `other`."""
    other_lines: Any
    ply: Any


def settle_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `settle` on a layout."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, below, threats = layout.landing, layout.below, layout.threats

    @lean
    def settle(own: Any, other: Any, threatened: Any, ply: int, board: Any) -> Any:
        """Play all forced moves from a position in which the mover has no immediate win.

        `threatened` are the free cells in which the other side would win. Returns the outcome, the
        ply, both sides' stones and the moves that do not lose at once.
        """
        cells, forbidden = board[2], board[3]
        while True:
            land = landing(own | other | forbidden, board) & cells
            safe = without(land, below(threatened, board))
            forced = land & threatened
            if any_cell(forced):
                if several(forced):
                    return LOST, ply, own, other, forced
                safe = safe & forced
            if not any_cell(safe):
                return (LOST if any_cell(land) else DRAWN), ply, own, other, safe
            if several(safe):
                return OPEN, ply, own, other, safe
            own, other = other, own | safe
            ply += 1
            threatened = without(cells, own | other) & threats(other, board)

    return settle


def bounds_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `bounds` on a layout."""
    without, any_cell, several = layout.without, layout.any_cell, layout.several
    landing, connects = layout.landing, layout.connects

    @lean
    def bounds(position: Lines, beta: int, total: int, board: Any) -> Any:
        """Return bounds on the score of a node, computed as far as they can decide `beta`.

        A side cannot win if all free cells would not give it a four. Nor can it win if the opponent
        always replies in the same column and the lower cells of these pairs give it no four,
        because the replying side gets the upper cells. In columns with an odd number of free cells
        the lowest free cell is an upper one: the side may get all of these, or all but one if the
        opponent moves first there.
        """
        own, other, own_lines, other_lines, ply = position
        cells, forbidden, lower, upper = board[2], board[3], board[5], board[6]
        high = (total - 1 - ply) // 2
        low = -((total - 2 - ply) // 2)
        if low >= beta or high < beta:
            return low, high
        if any_cell(own_lines if beta > 0 else other_lines):
            free = without(cells, own | other)
            seeks = own if beta > 0 else other
            # with an even number of free cells left, every move can be answered in its column
            if ((total - ply) & 1 == 0) != (beta > 0):
                return low, high
            odd = landing(own | other | forbidden, board) & cells & upper
            reach = seeks | (free & lower)
            if beta > 0 or several(odd):
                reach = reach | odd
            if connects(reach, board):
                return low, high
        return (low, 0) if beta > 0 else (0, high)

    return bounds


def key_on(layout: ModuleType) -> Callable[..., Any]:
    """Build `key_of` on a layout."""
    without, any_cell, landing = layout.without, layout.any_cell, layout.landing
    open_lines, mirrored, is_less = layout.open_lines, layout.mirrored, layout.is_less

    @lean
    def key_of(position: Lines, board: Any, question: SolverQuestion, is_far: Any) -> Any:
        """Return the key of a position, without what can no longer matter.

        The rest of the game depends on the free cells and each side's open fours. A stone in no
        open four of its side is dead: the key counts it as a stone of `own`, unless that would open
        a four for `own`. So the key has the open fours of the position, and the column heights;
        positions with equal keys have equal values at equal plies. If `is_far`, mirrored positions
        share a key; near the end that costs more than it saves.
        """
        own, other, own_lines, other_lines, _ = position
        cells, forbidden = board[2], board[3]
        occupied = own | other
        own_alive = own & own_lines
        dead = without(occupied, own_alive | (other & other_lines))
        key = own_alive
        if any_cell(dead):
            full = own_alive | dead
            marked = dead & open_lines(full | without(cells, occupied), full, board)
            key = own_alive | without(dead, marked) | (marked & own)
        key = key | landing(occupied | forbidden, board)
        if question.is_symmetric and is_far:
            image = mirrored(key, board, question.columns)
            if is_less(image, key):
                key = image
        return key

    return key_of


class NodeKernels(NamedTuple):
    """The kernels of nodes on one layout of sets."""

    enter_root: Callable[..., Any]
    enter: Callable[..., Any]
    find_child: Callable[..., Any]


@lean
def part_of(memory: SolverMemory, left: Any) -> int:
    """Return the part of the table for positions with `left` free cells: 0, or 1 near the end."""
    return 0 if left > np.int64(memory.shape[0, 4]) else 1


def node_on(layout: ModuleType, table: ModuleType) -> NodeKernels:
    """Build the kernels of nodes.

    Args:
        layout: `engine.solver.word` or `engine.solver.wide`.
        table: the table of the same layout.

    """
    load, store, without, any_cell = layout.load, layout.store, layout.without, layout.any_cell
    count, lowest, number_of = layout.count, layout.lowest, layout.number_of
    landing, threats, lines = layout.landing, layout.threats, layout.lines
    fours, begun_fours = layout.fours, layout.begun_fours
    mixed, line_of, fetch = table.mixed, table.line_of, table.fetch
    find, low_of, high_of = table.find, table.low_of, table.high_of
    settle, bounds, key_of = settle_on(layout), bounds_on(layout), key_on(layout)

    @lean
    def table_key(
        position: Lines, board: Any, memory: SolverMemory, question: SolverQuestion
    ) -> Any:
        """Return a position's key for the table, and its line; see `key_on`."""
        part = part_of(memory, question.total - position.ply)
        key = key_of(position, board, question, part == 0)
        key = mixed(key, memory.shape[0])
        return key, line_of(key, memory.shape[part])

    @lean
    def enter_root(
        node: Node, beta: int, board: Any, memory: SolverMemory, question: SolverQuestion
    ) -> Any:
        """Set up the root of a search, and return its known bounds."""
        own, other, moves, ply = node
        cells, left = board[2], question.total - ply
        own_lines = lines(without(cells, other), board)
        position = Lines(own, other, own_lines, lines(without(cells, own), board), ply)
        key, line = table_key(position, board, memory, question)
        store(memory.sets, at.OWN, own)
        store(memory.sets, at.OTHER, other)
        store(memory.sets, at.MOVES, moves)
        store(memory.sets, at.KEY, key)
        found = find(memory.known, line, key, memory.shape[part_of(memory, left)])
        low, high = bounds(position, beta, question.total, board)
        if found:
            low, high = max(low, low_of(found)), min(high, high_of(found))
        frame = memory.frames[0]
        frame[at.BETA], frame[at.PLY], frame[at.LINE] = beta, ply, line
        frame[at.LOW], frame[at.HIGH] = low, high
        return low, high

    @lean
    def make_children(
        depth: int, board: Any, memory: SolverMemory, question: SolverQuestion
    ) -> Any:
        """Write the children of a node that are not decided without a search.

        Returns:
            The best score of the decided ones so far, and the number of the others.

        """
        total, cells = question.total, board[2]
        frame, row, first = memory.frames[depth], depth * at.SETS, depth * at.MOST_CHILDREN
        own, other = load(memory.sets, row + at.OWN), load(memory.sets, row + at.OTHER)
        moves = load(memory.sets, row + at.MOVES)
        ply, beta = frame[at.PLY], frame[at.BETA]
        best = np.int64(-FAR)
        made = 0
        own_reach = without(cells, other)
        own_lines = lines(own_reach, board)
        parity = board[5] if (total - ply) & 1 == 0 else board[6]
        while any_cell(moves) and best < beta:
            cell = lowest(moves)
            moves = moves ^ cell
            stones = own | cell
            other_reach = without(cells, stones)
            threatened = threats(stones, board) & without(other_reach, other)
            state, then, mover, rest, safe = settle(other, stones, threatened, ply + 1, board)
            flips = (then - ply) & 1
            if state == LOST:
                score = np.int64((total - then) // 2)
                if not flips:
                    score = -score
                best = max(best, score)
                continue
            if state == DRAWN:
                best = max(best, np.int64(0))
                continue
            asked = 1 - beta if flips else beta
            # a stone takes away fours of the other side only
            mover_lines: Any = lines(other_reach, board)
            rest_lines: Any = own_lines
            if then > ply + 1:
                mover_lines = lines(without(cells, rest), board)
                rest_lines = lines(without(cells, mover), board)
            after = Lines(mover, rest, mover_lines, rest_lines, then)
            low, high = bounds(after, asked, total, board)
            if flips:
                low, high = -high, -low
            if high < beta or low >= beta:
                best = max(best, np.int64(high if high < beta else low))
                continue
            slot = first + made
            key, line = table_key(after, board, memory, question)
            fetch(memory.known, line)
            child = memory.children[slot]
            child[at.ORDER] = (
                16 * count(threatened)
                + 4 * count(threatened & landing(stones | other | board[3], board))
                + 8 * count(threatened & parity)
                + 4 * begun_fours(stones, own_reach, board)
                - fours(other_reach, board)
                - 10 * count(safe)
                + memory.weights[number_of(cell)]
            )
            child[at.SIGN], child[at.CHILD_PLY], child[at.CHILD_LINE] = flips, then, line
            child[at.CHILD_LOW], child[at.CHILD_HIGH] = low, high
            store(memory.child_sets, slot * at.SETS + at.OWN, mover)
            store(memory.child_sets, slot * at.SETS + at.OTHER, rest)
            store(memory.child_sets, slot * at.SETS + at.MOVES, safe)
            store(memory.child_sets, slot * at.SETS + at.KEY, key)
            made += 1
        return best, made

    @lean
    def find_child(slot: Any, child: Integers, total: int, memory: SolverMemory) -> Any:
        """Return whether the table has a child, and its bounds for the parent."""
        key = load(memory.child_sets, slot * at.SETS + at.KEY)
        shape = memory.shape[part_of(memory, total - child[at.CHILD_PLY])]
        found = find(memory.known, child[at.CHILD_LINE], key, shape)
        low, high = np.int64(child[at.CHILD_LOW]), np.int64(child[at.CHILD_HIGH])
        if found:
            if child[at.SIGN]:
                low, high = max(low, -high_of(found)), min(high, -low_of(found))
            else:
                low, high = max(low, low_of(found)), min(high, high_of(found))
        return found != 0, low, high

    @lean
    def enter(depth: int, board: Any, memory: SolverMemory, question: SolverQuestion) -> None:
        """Write the frame of a node whose position is known: its open children, best first."""
        best, made = make_children(depth, board, memory, question)
        frame, children, first = memory.frames[depth], memory.children, depth * at.MOST_CHILDREN
        beta = frame[at.BETA]
        kept = 0
        if best < beta:
            for slot in range(first, first + made):
                child = children[slot]
                is_known, low, high = find_child(slot, child, question.total, memory)
                if is_known:
                    if low >= beta:
                        best = low
                        break
                    if high < beta:
                        best = max(best, high)
                        continue
                    child[at.CHILD_LOW], child[at.CHILD_HIGH] = low, high
                # stable insertion sort
                place = first + kept
                while (
                    place > first
                    and children[children[place - 1, at.SLOT], at.ORDER] < child[at.ORDER]
                ):
                    children[place, at.SLOT] = children[place - 1, at.SLOT]
                    place -= 1
                children[place, at.SLOT] = slot
                kept += 1
        frame[at.CHILDREN], frame[at.NEXT], frame[at.BEST] = kept, 0, best

    return NodeKernels(enter_root, enter, find_child)
