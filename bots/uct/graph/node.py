"""Nodes of the graph: lookup, value, proof and allocation."""

from typing import Any

import numpy as np

from bots.uct.graph.hash_table import home_of, is_current, node_of
from bots.uct.graph.layout import (
    EDGES,
    FREE_EDGES,
    FREE_NODE,
    GENERATION,
    MEAN,
    META,
    NEXT,
    POINTS,
    ROLLOUTS,
    ROW,
    USED_EDGES,
    USED_NODES,
    WEIGHT,
    Graph,
)
from bots.uct.nodes import (
    COLUMNS,
    DISTANCE,
    DRAWN,
    FIELDS,
    HEAD,
    LOST,
    OUTCOME,
    SLACK,
    WON,
    Integer,
    distance_of,
    outcome_of,
)
from bots.uct.ucb import SOLVED_OFFSET, sum_edges
from engine import vector
from engine.compiled import inlined
from engine.vector import Register

_HALF = np.uint64(32)


@inlined
def find_or_slot(graph: Graph, key: np.uint64, stones: Register) -> tuple[np.int64, np.int64]:
    """Return the node with these stones or -1, and its slot in the table."""
    table, wide = graph.table, graph.wide
    generation = graph.counters[GENERATION]
    word0, word1, word2 = vector.unpack(stones)
    last = len(table) - 1
    place = home_of(key, graph.shift)
    while True:
        entry = table[place]
        if not is_current(entry, generation):
            return np.int64(-1), place
        if entry >> _HALF == key >> _HALF:
            node = node_of(entry)
            row = node * (ROW // 2)
            if wide[row] == word0 and wide[row + 1] == word1 and wide[row + 2] == word2:
                return node, place
        place = (place + 1) & last


@inlined
def set_value(graph: Graph, row: Integer) -> None:
    """Recompute a node's mean and weight from its own rollouts and its edges."""
    rows, floats, edges = graph.rows, graph.floats, graph.edges
    first = np.int64(rows[row + EDGES])
    points = np.float32(0.5) * np.float32(rows[row + POINTS])
    weight = np.float32(rows[row + ROLLOUTS])
    if first:
        head = np.int64(edges[first - HEAD])
        below, visits = sum_edges(edges, first, head & 255, head >> 8)
        points += below
        weight += visits
    floats[row + MEAN] = points / weight
    floats[row + WEIGHT] = weight


@inlined
def solve_node(graph: Graph, row: Integer) -> bool:
    """Mark a node as solved if its edges prove it, and return whether they do."""
    rows, floats, edges, edge_means = graph.rows, graph.floats, graph.edges, graph.edge_means
    meta = rows[row + META]
    first = np.int64(rows[row + EDGES])
    head = np.int64(edges[first - HEAD])
    k = head & 255
    unsolved = (meta & COLUMNS) != 0
    drawn = False
    shortest: Any = 256
    longest: Any = 0
    for edge in range(first, first + (head >> 8)):
        if edge_means[edge + k] > SOLVED_OFFSET / 2:
            unsolved = True
            continue
        child_meta = rows[np.int64(edges[edge + 2 * k]) * ROW + META]
        outcome = outcome_of(child_meta)
        distance = distance_of(child_meta)
        if outcome == WON:
            shortest = min(shortest, distance)
        elif outcome == DRAWN:
            drawn = True
        else:
            longest = max(longest, distance)
    if shortest < 256:
        rows[row + META] = meta | LOST << OUTCOME | (shortest + 1) << DISTANCE
        floats[row + MEAN] = np.float32(0.0)
    elif unsolved:
        return False
    elif drawn:
        rows[row + META] = meta | DRAWN << OUTCOME
        floats[row + MEAN] = np.float32(0.5)
    else:
        rows[row + META] = meta | WON << OUTCOME | (longest + 1) << DISTANCE
        floats[row + MEAN] = np.float32(1.0)
    return True


@inlined
def allocate_edges(graph: Graph, k: Integer) -> np.int64:
    """Allocate a block for k edges and return its place, 0 if memory is full."""
    edges, counters = graph.edges, graph.counters
    free = np.int64(counters[FREE_EDGES + k])
    if free:
        counters[FREE_EDGES + k] = np.uint64(edges[free - 1])
    else:
        used = np.int64(counters[USED_EDGES])
        if used + HEAD + FIELDS * k > len(edges) - SLACK:
            return np.int64(0)
        free = used + HEAD
        counters[USED_EDGES] = np.uint64(used + HEAD + FIELDS * k)
    edges[free - HEAD] = k
    edges[free - 1] = 0
    return free


@inlined
def allocate_node(graph: Graph) -> np.int64:
    """Allocate a node and return its number, -1 if memory is full."""
    rows, counters = graph.rows, graph.counters
    free = np.int64(counters[FREE_NODE]) - 1
    if free >= 0:
        counters[FREE_NODE] = np.uint64(rows[free * ROW + NEXT])
        return free
    free = np.int64(counters[USED_NODES])
    if (free + 1) * ROW > len(rows):
        return np.int64(-1)
    counters[USED_NODES] = np.uint64(free + 1)
    return free
