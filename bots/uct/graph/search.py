"""UCT on a graph (v14 on): positions reached by different move orders share one node.

Visits are counted on edges. A node's value is recomputed from its own rollouts and its edges,
weighted by their visits (a solved child counts as one visit). A descent continues through known
positions. Proofs belong to positions; other parents use them when they next follow the edge.
"""

from typing import Any

import numpy as np

from bots.uct import nodes as form
from bots.uct.graph import memory
from bots.uct.graph.memory import CELLS as ZOBRIST_CELLS
from bots.uct.leaf import Outlook, expansion_on, look_on, rollout_on
from bots.uct.nodes import Integer
from bots.uct.parameters import URGENT
from bots.uct.ucb import SOLVED_OFFSET, best_edge, exploration
from engine import bits, vector
from engine.compiled import lean, lean_kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT
from engine.vector import Register

FIFTEEN = np.uint64(15)

look = look_on(vector)
rollout = rollout_on(vector)
expand = expansion_on(vector)


@lean
def choose_move(
    graph: memory.Graph, row: Integer, flags: int, c: float, random: np.uint64
) -> tuple[np.int64, np.int64, np.uint64, bool, np.uint64]:
    """Choose the move of a descent in an open node.

    Args:
        graph: the memory; the node gets its block of edges if it has none.
        row: the node's row.
        flags: the version's switches.
        c: exploration constant.
        random: the generator's state.

    Returns:
        The place of the edge (0 if memory is full) and its stride, the column as a bit, whether the
        edge is still to be made, and the generator.

    """
    rows, edges, edge_means = graph.rows, graph.edges, graph.edge_means
    first = np.int64(rows[row + memory.EDGES])
    tries = np.uint64(rows[row + memory.META] & form.COLUMNS)
    if not tries:
        k = np.int64(edges[first - form.HEAD]) & 255
        edge = first
        if k > 1:
            weight = np.int64(graph.floats[row + memory.WEIGHT])
            edge = np.int64(best_edge(edges, first, k, exploration(c, weight)))
        return edge, k, bits.ONE << np.uint64(edges[edge + 3 * k]), False, random
    if first == 0:
        first = memory.allocate_edges(graph, np.int64(bits.popcount64(tries)))
        if first == 0:
            return first, first, tries, False, random
        rows[row + memory.EDGES] = first
    head = np.int64(edges[first - form.HEAD])
    k = head & 255
    edge = first + (head >> 8)
    if (
        flags & URGENT
        and edge > first
        and edges[edge - 1] == 1
        and edge_means[edge - 1 + k] > SOLVED_OFFSET / 2
    ):
        edge -= 1
        return edge, k, bits.ONE << np.uint64(edges[edge + 3 * k]), False, random
    random = bits.step_random(random)
    move = bits.kth_bit(tries, bits.below_random(random, bits.popcount64(tries)))
    return edge, k, move, True, random


@lean
def make_edge(
    graph: memory.Graph,
    node: Integer,
    edge: Integer,
    k: Integer,
    move: np.uint64,
    key: np.uint64,
    stones: Register,
) -> tuple[np.int64, bool]:
    """Make an edge, and the node that it leads to unless there is one.

    Returns:
        The node, -1 if memory is full, and whether it is new.

    """
    rows, edges = graph.rows, graph.edges
    child, place = memory.find_or_slot(graph, key, stones)
    is_new = bool(child < 0)
    if is_new:
        child = memory.make_node(graph, place, key, stones)
        if child < 0:
            return child, False
    row = node * memory.ROW
    rows[row + memory.META] &= ~np.int32(move)
    edges[np.int64(rows[row + memory.EDGES]) - form.HEAD] += 256
    edges[edge] = 0
    graph.edge_means[edge + k] = graph.floats[child * memory.ROW + memory.MEAN]
    edges[edge + 2 * k] = child
    edges[edge + 3 * k] = np.int64(bits.trailing_zeros64(move))
    rows[child * memory.ROW + memory.REFERENCES] += 1
    return child, is_new


@lean
def key_after(
    graph: memory.Graph, node: Integer, move: np.uint64, mover: Integer, stone: Register
) -> np.uint64:
    """Return the hash after a move, whose place in the table is on its way to the cache then."""
    word0, word1, word2 = vector.unpack(stone)
    height = bits.trailing_zeros64(word0 | word1 | word2) & FIFTEEN
    column = np.int64(bits.trailing_zeros64(move))
    key: np.uint64 = graph.wide[node * (memory.ROW // 2) + memory.HASH]
    key ^= memory.ZOBRIST[ZOBRIST_CELLS * mover + 16 * column + np.int64(height)]
    bits.prefetch(graph.table, int(memory.home_of(key, graph.shift)))
    return key


@lean
def simulate(
    graph: memory.Graph,
    node: Integer,
    outlook: Outlook,
    created: bool,
    depth: Integer,
    mover: Integer,
    flags: int,
    random: np.uint64,
) -> np.uint64:
    """Value a node by a rollout, or by its outcome if it is new and the end of the game.

    A node that is not new is the last of a descent in full memory.
    """
    rows, floats = graph.rows, graph.floats
    row = node * memory.ROW
    outcome = form.OPEN
    if created:
        # Below it, the side to move had no win, or its node would be an end.
        outcome, distance, tries = expand(outlook, depth == 1, flags)
        points = form.points_of(outcome, form.WIN_POINTS)
        rows[row + memory.META] = (
            np.int64(tries)
            | outcome << form.OUTCOME
            | distance << form.DISTANCE
            | mover << form.SIDE
        )
        rows[row + memory.ROLLOUTS] = 1
        rows[row + memory.POINTS] = points
        floats[row + memory.WEIGHT] = np.float32(1.0)
        graph.counters[memory.LIVE] += bits.ONE
        if outcome != form.OPEN:
            floats[row + memory.MEAN] = np.float32(0.5) * np.float32(points)
    else:
        rows[row + memory.ROLLOUTS] += 1
    if outcome == form.OPEN:
        result, random = rollout(outlook, random, False)
        rows[row + memory.POINTS] += 2 - result
        memory.set_value(graph, row)
    return random


@lean
def back_up(graph: memory.Graph, depth: Integer) -> None:
    """Back up the value of the last node of a descent along its path."""
    path, rows, floats = graph.path, graph.rows, graph.floats
    for level in range(depth, 0, -1):
        child_row = path[3 * level] * memory.ROW
        edge = path[3 * level + 1]
        k = path[3 * level + 2]
        row = path[3 * level - 3] * memory.ROW
        graph.edges[edge] += 1
        if form.outcome_of(rows[child_row + memory.META]) == form.OPEN:
            graph.edge_means[edge + k] = floats[child_row + memory.MEAN]
            memory.set_value(graph, row)
        else:
            solved = floats[child_row + memory.MEAN] + np.float32(SOLVED_OFFSET)
            graph.edge_means[edge + k] = solved
            if not memory.solve_node(graph, row):
                memory.set_value(graph, row)


@lean_kernel
def search_graph(
    graph: memory.Graph, root: int, side: int, flags: int, c: float, simulations: int, descents: int
) -> None:
    """Search until `simulations` or `descents` are made or the root is solved.

    Args:
        graph: the memory; updated.
        root: the number of the root's node.
        side: the side to move in the root.
        flags: the version's switches.
        c: exploration constant.
        simulations: number of new rollouts or end nodes.
        descents: limit of all descents, including those into solved nodes.

    """
    stones, board, path, rows, counters = (
        graph.stones,
        graph.board,
        graph.path,
        graph.rows,
        graph.counters,
    )
    root_own, root_other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    root_occupied = root_own | root_other | vector.load(board, FORBIDDEN)
    full = ~np.uint64(0)
    everywhere = vector.pack(full, full, full)
    random = counters[memory.STATE]
    new = 0
    old = 0
    deepest = np.int64(counters[memory.DEPTH])
    while new < simulations and new + old < descents:
        own, other, occupied = root_own, root_other, root_occupied
        node = np.int64(root)
        depth = 0
        mover: Any = np.int64(side)
        path[0] = node
        is_full = False
        created = False
        while not created:
            row = node * memory.ROW
            if form.outcome_of(rows[row + memory.META]) != form.OPEN:
                break
            edge, k, move, is_new, random = choose_move(graph, row, flags, c, random)
            if edge == 0:
                is_full = True
                break
            stone = vector.in_columns(vector.playable(occupied, bottoms, cells), move)
            child: Any = np.int64(graph.edges[edge + 2 * k])
            if is_new:
                key = key_after(graph, node, move, mover, stone)
                seen = other | vector.playable(occupied | stone, bottoms, everywhere)
                child, created = make_edge(graph, node, edge, k, move, key, seen)
                if child < 0:
                    is_full = True
                    break
            own, other = other, own | stone
            occupied = occupied | stone
            node = child
            mover = 1 - mover
            depth += 1
            path[3 * depth] = node
            path[3 * depth + 1] = edge
            path[3 * depth + 2] = k
        if created or is_full:
            new += 1
            outlook = look(own, other, occupied, bottoms, cells)
            random = simulate(graph, node, outlook, created, depth, mover, flags, random)
        else:
            old += 1
        back_up(graph, depth)
        deepest = max(deepest, np.int64(depth))
        if form.outcome_of(rows[root * memory.ROW + memory.META]) != form.OPEN:
            break
    counters[memory.STATE] = random
    counters[memory.NEW] += np.uint64(new)
    counters[memory.OLD] += np.uint64(old)
    counters[memory.DEPTH] = np.uint64(deepest)
