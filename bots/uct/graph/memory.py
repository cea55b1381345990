"""Roots of the graph, and its memory management: reference counts, sweeps, clearing.

Clearing (v14 every tenth move, v17 every move) needs no code here: the counters of used nodes and
edges are reset and the table gets a new generation.
"""

import numpy as np

from bots.uct.graph.hash_table import entry_of, remove_entry
from bots.uct.graph.layout import (
    EDGES,
    FREE_EDGES,
    FREE_NODE,
    GENERATION,
    HASH,
    LIVE,
    MEAN,
    META,
    NEXT,
    POINTS,
    REFERENCES,
    ROLLOUTS,
    ROW,
    USED_NODES,
    WEIGHT,
    Graph,
    Wide,
)
from bots.uct.graph.node import allocate_node, find_or_slot
from bots.uct.nodes import FIELDS, HEAD, SIDE, Integer
from engine import vector
from engine.compiled import inlined, kernel
from engine.lanes import FORBIDDEN, WordArray

ONE = np.uint64(1)
WORDS = 3


@kernel
def root_node(graph: Graph, stones: Wide, key: np.uint64, meta: int) -> np.int64:
    """Find the node of a position, or make it with this meta; return -1 if memory is full.

    `stones` and `key` are from `stones_of` and `hash_of` in `bots.uct.graph.hash_table`.
    """
    rows, wide, floats, counters = graph.rows, graph.wide, graph.floats, graph.counters
    packed = vector.pack(stones[0], stones[1], stones[2])
    node, place = find_or_slot(graph, key, packed)
    if node < 0:
        node = allocate_node(graph)
        if node < 0:
            return node
        graph.table[place] = entry_of(key, counters[GENERATION], node)
        row = node * ROW
        for word in range(WORDS):
            wide[row // 2 + word] = stones[word]
        wide[row // 2 + HASH] = key
        for field in (EDGES, ROLLOUTS, POINTS, REFERENCES, NEXT):
            rows[row + field] = 0
        rows[row + META] = meta
        floats[row + MEAN] = np.float32(0.5)
        floats[row + WEIGHT] = np.float32(0.0)
        counters[LIVE] += ONE
    return node


@inlined
def free_node(graph: Graph, node: Integer) -> None:
    """Free a node and its edges."""
    rows, edges, counters = graph.rows, graph.edges, graph.counters
    row = node * ROW
    key = graph.wide[row // 2 + HASH]
    remove_entry(graph.table, graph.shift, counters[GENERATION], key, np.int64(node))
    first = np.int64(rows[row + EDGES])
    if first:
        k = np.int64(edges[first - HEAD]) & 255
        edges[first - 1] = counters[FREE_EDGES + k]
        counters[FREE_EDGES + k] = np.uint64(first)
    rows[row + EDGES] = 0
    rows[row + REFERENCES] = -1
    rows[row + NEXT] = counters[FREE_NODE]
    counters[FREE_NODE] = np.uint64(node + 1)
    counters[LIVE] -= ONE


@kernel
def release(graph: Graph, root: int) -> None:
    """Release a reference to a node; without any it is freed, and all nodes that only it led to."""
    rows, edges = graph.rows, graph.edges
    rows[root * ROW + REFERENCES] -= 1
    if rows[root * ROW + REFERENCES] > 0:
        return
    # Nodes to be freed are linked through their own rows; 0 ends the list.
    rows[root * ROW + NEXT] = 0
    waiting = np.int64(root) + 1
    while waiting:
        node = waiting - 1
        row = node * ROW
        waiting = np.int64(rows[row + NEXT])
        first = np.int64(rows[row + EDGES])
        if first:
            head = np.int64(edges[first - HEAD])
            children = first + 2 * (head & 255)
            for place in range(children, children + (head >> 8)):
                child = np.int64(edges[place])
                rows[child * ROW + REFERENCES] -= 1
                if rows[child * ROW + REFERENCES] == 0:
                    rows[child * ROW + NEXT] = waiting
                    waiting = child + 1
        free_node(graph, node)


_S1, _S2, _S4, _S8 = (np.uint64(shift) for shift in (1, 2, 4, 8))
_LOW15, _LOW14, _LOW12, _LOW8 = (
    np.uint64(lane * 0x0001_0001_0001_0001) for lane in (0x7FFF, 0x3FFF, 0x0FFF, 0x00FF)
)


@inlined
def _below_top(word: np.uint64) -> np.uint64:
    """Return, in every lane, all bits below the highest set bit."""
    word |= word >> _S1 & _LOW15
    word |= word >> _S2 & _LOW14
    word |= word >> _S4 & _LOW12
    word |= word >> _S8 & _LOW8
    return word >> _S1 & _LOW15


@kernel
def sweep(graph: Graph, stones: WordArray, board: WordArray, side: int) -> None:
    """Free every node that does not contain all stones of the position.

    Args:
        graph: updated.
        stones: the position, from `engine.lanes.stone_words`.
        board: from `engine.lanes.board_words`.
        side: the side to move in the position.

    """
    rows, wide = graph.rows, graph.wide
    for node in range(np.int64(graph.counters[USED_NODES])):
        row = node * ROW
        if rows[row + REFERENCES] < 0:
            continue
        # A node has the stones of its side to move; the other side has the rest below the top.
        same = (rows[row + META] >> SIDE & 1) == side
        reachable = True
        for word in range(WORDS):
            seen = wide[row // 2 + word]
            below = _below_top(seen)
            own = seen & below
            other = below & ~own & ~board[FORBIDDEN, word]
            if not same:
                own, other = other, own
            missing = (stones[0, word] & ~own) | (stones[1, word] & ~other)
            reachable = reachable and missing == 0
        if not reachable:
            free_node(graph, node)


def bytes_of_a_node() -> int:
    """Return the bytes of memory per node of a graph's capacity: row, edges, table."""
    return 4 * ROW + 4 * EDGE_INTEGERS + 24


EDGE_INTEGERS = 30
"""Edge integers per node of a graph's capacity; rarely visited nodes have none."""
assert FIELDS * 12 + HEAD <= 2 * EDGE_INTEGERS  # noqa: S101 - the estimate's scale
