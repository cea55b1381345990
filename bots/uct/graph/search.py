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
from bots.uct.leaf import expansion_on, look_on, rollout_on
from bots.uct.parameters import URGENT
from bots.uct.ucb import SOLVED_OFFSET, best_edge, exploration
from engine import bits, vector
from engine.compiled import kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT

FIFTEEN = np.uint64(15)

look = look_on(vector)
rollout = rollout_on(vector)
expand = expansion_on(vector)


@kernel
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
    stones, board, path, rows, wide, floats, edges, edge_means, table, shift, counters = graph
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
        while True:
            row = node * memory.ROW
            meta = np.int64(rows[row + memory.META])
            if form.outcome_of(meta) != form.OPEN:
                break
            first = np.int64(rows[row + memory.EDGES])
            tries = np.uint64(meta & form.COLUMNS)
            fresh_edge = False
            if tries:
                if first == 0:
                    first = memory.allocate_edges(graph, np.int64(bits.popcount64(tries)))
                    if first == 0:
                        is_full = True
                        break
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
                    move = bits.ONE << np.uint64(edges[edge + 3 * k])
                else:
                    random = bits.step_random(random)
                    move = bits.kth_bit(tries, bits.below_random(random, bits.popcount64(tries)))
                    fresh_edge = True
            else:
                k = np.int64(edges[first - form.HEAD]) & 255
                edge = first
                if k > 1:
                    weight = np.int64(floats[row + memory.WEIGHT])
                    edge = best_edge(edges, first, k, exploration(c, weight))
                move = bits.ONE << np.uint64(edges[edge + 3 * k])
            stone = vector.playable(occupied, bottoms, cells)
            stone = vector.in_columns(stone, move)
            if fresh_edge:
                word0, word1, word2 = vector.unpack(stone)
                height = bits.trailing_zeros64(word0 | word1 | word2) & FIFTEEN
                column = np.int64(bits.trailing_zeros64(move))
                key = wide[node * (memory.ROW // 2) + memory.HASH]
                key ^= memory.ZOBRIST[ZOBRIST_CELLS * mover + 16 * column + np.int64(height)]
                bits.prefetch(table, int(memory.home_of(key, shift)))
            own, other = other, own | stone
            occupied = occupied | stone
            if fresh_edge:
                filled = own | vector.playable(occupied, bottoms, everywhere)
                child, place = memory.find_or_slot(graph, key, filled)
                if child < 0:
                    child = memory.make_node(graph, place, key, filled)
                    if child < 0:
                        # Undo: the rollout starts before the move.
                        occupied = occupied ^ stone
                        own, other = other ^ stone, own
                        is_full = True
                        break
                    created = True
                rows[row + memory.META] = meta & ~np.int64(move)
                edges[first - form.HEAD] += 256
                edges[edge] = 0
                edge_means[edge + k] = floats[child * memory.ROW + memory.MEAN]
                edges[edge + 2 * k] = child
                edges[edge + 3 * k] = column
                rows[child * memory.ROW + memory.REFERENCES] += 1
            else:
                child = np.int64(edges[edge + 2 * k])
            node = child
            mover = 1 - mover
            depth += 1
            path[3 * depth] = node
            path[3 * depth + 1] = edge
            path[3 * depth + 2] = k
            if created:
                break
        row = node * memory.ROW
        if created or is_full:
            outlook = look(own, other, occupied, bottoms, cells)
            new += 1
            outcome = form.OPEN
            if created:
                # Below it, the side to move had no win, or its node would be an end.
                outcome, distance, tries = expand(outlook, depth == 1, flags)
                rows[row + memory.META] = (
                    np.int64(tries)
                    | outcome << form.OUTCOME
                    | distance << form.DISTANCE
                    | mover << form.SIDE
                )
                rows[row + memory.ROLLOUTS] = 1
                rows[row + memory.POINTS] = form.points_of(outcome, form.WIN_POINTS)
                floats[row + memory.WEIGHT] = np.float32(1.0)
                counters[memory.LIVE] += bits.ONE
                if outcome != form.OPEN:
                    floats[row + memory.MEAN] = np.float32(0.5) * np.float32(
                        form.points_of(outcome, form.WIN_POINTS)
                    )
            else:
                rows[row + memory.ROLLOUTS] += 1
            if outcome == form.OPEN:
                result, random = rollout(outlook, random, False)
                rows[row + memory.POINTS] += 2 - result
                memory.set_value(graph, row)
        else:
            old += 1
        for level in range(depth, 0, -1):
            child_row = path[3 * level] * memory.ROW
            edge = path[3 * level + 1]
            k = path[3 * level + 2]
            row = path[3 * level - 3] * memory.ROW
            edges[edge] += 1
            if form.outcome_of(rows[child_row + memory.META]) == form.OPEN:
                edge_means[edge + k] = floats[child_row + memory.MEAN]
                memory.set_value(graph, row)
            else:
                edge_means[edge + k] = floats[child_row + memory.MEAN] + np.float32(SOLVED_OFFSET)
                if not memory.solve_node(graph, row):
                    memory.set_value(graph, row)
        deepest = max(deepest, np.int64(depth))
        if form.outcome_of(rows[root * memory.ROW + memory.META]) != form.OPEN:
            break
    counters[memory.STATE] = random
    counters[memory.NEW] += np.uint64(new)
    counters[memory.OLD] += np.uint64(old)
    counters[memory.DEPTH] = np.uint64(deepest)
