"""The graph: its layout, its hash table, its nodes, and its memory management.

Nodes are positions, edges are moves. A node is a row of sixteen 32-bit integers, one cache line,
accessible through three arrays on the same memory (32-bit and 64-bit integers, single-precision
numbers)::

    0..5   the stones (three 64-bit words): per column the mover's opponent's stones, and one bit on
           the landing cell; what lies below that bit and is not set belongs to the mover
    6      place of its edges, 0 if there are none
    7      meta: bits 0..11 untried columns, 16..17 outcome for the mover, 18..25 plies to the end,
           26 the side to move
    8, 9   own rollouts: their number, and twice their results for the mover
    10     mean for the mover, single precision
    11     weight of the mean, single precision
    12     references: edges that lead here, and roots; -1 if free
    13     the next free node of a list
    14,15  the hash of its stones

The edges of a node are one block, with equal fields adjacent::

    head 0 | visits x k | means x k | children x k | columns x k         k edges

    head   k in bits 0..7, edges made so far from bit 8 on
    mean   of the child for its mover when the edge was last followed; plus
           `bots.uct.ucb.SOLVED_OFFSET` if the child is solved

The hash table has open addressing. An entry has the upper half of the hash, a generation and a
node's number. An entry of another generation, or of generation 0, is empty, so the table is cleared
in one step. The home slot of an entry follows from its half of the hash, so entries can move when
one is removed. Hashes are Zobrist's (1970): the exclusive or of one random number for each stone.

Clearing (v14 every tenth move, v17 every move) needs no code here: the counters of used nodes and
edges are reset and the table gets a new generation.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.uct import nodes as form
from bots.uct.nodes import Integer
from bots.uct.proof import add_child, no_children, proven
from bots.uct.ucb import SOLVED_OFFSET, sum_edges
from engine import vector
from engine.bits import ONE
from engine.compiled import inlined, kernel
from engine.lanes import FORBIDDEN, WordArray
from engine.seeds import SplitMix
from engine.vector import Register

Rows = NDArray[np.int32]
Wide = NDArray[np.uint64]
Floats = NDArray[np.float32]
Edges = NDArray[np.int32]
Table = NDArray[np.uint64]

ROW: Final = 16
EDGES: Final = 6
META: Final = 7
ROLLOUTS: Final = 8
POINTS: Final = 9
MEAN: Final = 10
WEIGHT: Final = 11
REFERENCES: Final = 12
NEXT: Final = 13
HASH: Final = 7
"""Index in the array of 64-bit integers."""

USED_NODES, USED_EDGES, STATE, NEW, OLD, DEPTH, FREE_NODE, LIVE, GENERATION = range(9)
"""Counters between chunks: nodes and edge integers ever used, generator, new and repeated descents,
deepest descent, head of the list of free nodes, nodes in use, generation of the table."""
FREE_EDGES: Final = 16
"""First of the heads of lists of free blocks, by number of edges."""
COUNTERS: Final = 32

ID_BITS: Final = 25
GENERATION_BITS: Final = 7
"""Layout of a table entry: hash in the upper 32 bits, generation in 7, node in 25."""


class Graph(NamedTuple):
    """The memory of a graph."""

    stones: WordArray
    """Stones of the root, shape (2, 3), from `engine.arrays.stone_words`."""
    board: WordArray
    """Board from `engine.arrays.board_words`, shape (3, 3)."""
    path: NDArray[np.int64]
    """Path of a descent: node, edge and stride for every ply."""
    rows: Rows
    """Nodes as 32-bit integers."""
    wide: Wide
    """The same memory as 64-bit integers."""
    floats: Floats
    """The same memory as single-precision numbers."""
    edges: Edges
    """Blocks of edges."""
    edge_means: Floats
    """The same memory as single-precision numbers."""
    table: Table
    """Hash table, see `bots.uct.graph.memory`."""
    shift: np.uint64
    """64 less the number of bits of the table's size."""
    counters: Wide
    """Counters, see `USED_NODES`."""


_ID = np.uint64((1 << ID_BITS) - 1)
_GENERATIONS = np.uint64((1 << GENERATION_BITS) - 1)
_ID_BITS = np.uint64(ID_BITS)
_HALF = np.uint64(32)
_NOTHING = np.uint64(0)

GENERATIONS = (1 << GENERATION_BITS) - 1
"""Largest generation; after it the table must be cleared explicitly."""
WORDS = 3
EDGE_INTEGERS = 30
"""Edge integers per node of a graph's capacity; rarely visited nodes have none."""
NODE_BYTES = 4 * ROW + 4 * EDGE_INTEGERS + 24
"""Memory per node of a graph's capacity: row, edges, table."""
CELLS = 192
"""Zobrist numbers per side: 16 for each of 12 columns."""


def _keys() -> NDArray[np.uint64]:
    random = SplitMix(0x5EED)
    return np.array([random.next64() for _ in range(2 * CELLS)], np.uint64)


ZOBRIST = _keys()


@inlined
def entry_of(key: np.uint64, generation: np.uint64, node: np.int64) -> np.uint64:
    """Return a table entry."""
    return (key >> _HALF) << _HALF | generation << _ID_BITS | np.uint64(node)


@inlined
def home_of(entry: np.uint64, shift: np.uint64) -> np.int64:
    """Return the home slot of an entry or a hash; `shift` is 64 less the table's bits."""
    return np.int64(entry >> shift)


@inlined
def is_current(entry: np.uint64, generation: np.uint64) -> bool:
    """Return whether the slot has an entry of this generation."""
    return bool((entry >> _ID_BITS & _GENERATIONS) == generation)


@inlined
def node_of(entry: np.uint64) -> np.int64:
    """Return the number of an entry's node."""
    return np.int64(entry & _ID)


@inlined
def remove_entry(
    table: Table, shift: np.uint64, generation: np.uint64, key: np.uint64, node: np.int64
) -> None:
    """Remove a node's entry and close the gap, so that the others are still found."""
    last = len(table) - 1
    place = home_of(key, shift)
    while not (is_current(table[place], generation) and node_of(table[place]) == node):
        if not is_current(table[place], generation):
            return
        place = (place + 1) & last
    gap = place
    while True:
        place = (place + 1) & last
        entry = table[place]
        if not is_current(entry, generation):
            break
        # An entry may move back into the gap unless its home slot is between the two.
        if (place - home_of(entry, shift)) & last >= (place - gap) & last:
            table[gap] = entry
            gap = place
    table[gap] = _NOTHING


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
        head = np.int64(edges[first - form.HEAD])
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
    head = np.int64(edges[first - form.HEAD])
    k = head & 255
    children = no_children(meta)
    for edge in range(first, first + (head >> 8)):
        child_meta: Any = form.OPEN  # as far as the edge knows
        if edge_means[edge + k] < SOLVED_OFFSET / 2:
            child_meta = rows[np.int64(edges[edge + 2 * k]) * ROW + META]
        children = add_child(children, child_meta, True)
    meta = proven(meta, children)
    outcome = form.outcome_of(meta)
    if outcome == form.OPEN:
        return False
    rows[row + META] = meta
    floats[row + MEAN] = np.float32(0.5) * np.float32(form.points_of(outcome, form.WIN_POINTS))
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
        if used + form.HEAD + form.FIELDS * k > len(edges) - form.SLACK:
            return np.int64(0)
        free = used + form.HEAD
        counters[USED_EDGES] = np.uint64(used + form.HEAD + form.FIELDS * k)
    edges[free - form.HEAD] = k
    edges[free - 1] = 0
    return free


@inlined
def make_node(graph: Graph, place: np.int64, key: np.uint64, stones: Register) -> np.int64:
    """Make the node of a position at its slot in the table; return -1 if memory is full."""
    rows, wide, counters = graph.rows, graph.wide, graph.counters
    node = np.int64(counters[FREE_NODE]) - 1
    if node >= 0:
        counters[FREE_NODE] = np.uint64(rows[node * ROW + NEXT])
    else:
        node = np.int64(counters[USED_NODES])
        if (node + 1) * ROW > len(rows):
            return np.int64(-1)
        counters[USED_NODES] = np.uint64(node + 1)
    graph.table[place] = entry_of(key, counters[GENERATION], node)
    at = node * (ROW // 2)
    wide[at], wide[at + 1], wide[at + 2] = vector.unpack(stones)
    wide[at + HASH] = key
    rows[node * ROW + EDGES] = 0
    rows[node * ROW + REFERENCES] = 0
    graph.floats[node * ROW + MEAN] = np.float32(0.5)
    return node


@kernel
def root_node(graph: Graph, stones: Wide, key: np.uint64, meta: int) -> np.int64:
    """Find the node of a position, or make it with this meta; return -1 if memory is full.

    `stones` and `key` are from `stones_of` and `hash_of` in `bots.uct.graph.player`.
    """
    rows = graph.rows
    packed = vector.pack(stones[0], stones[1], stones[2])
    node, place = find_or_slot(graph, key, packed)
    if node < 0:
        node = make_node(graph, place, key, packed)
        if node < 0:
            return node
        row = node * ROW
        for field in (ROLLOUTS, POINTS, NEXT):
            rows[row + field] = 0
        rows[row + META] = meta
        graph.floats[row + WEIGHT] = np.float32(0.0)
        graph.counters[LIVE] += ONE
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
        k = np.int64(edges[first - form.HEAD]) & 255
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
            head = np.int64(edges[first - form.HEAD])
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
def sweep(graph: Graph, side: int) -> None:
    """Free every node that does not contain all stones of the root, with this side to move."""
    stones, board, rows, wide = graph.stones, graph.board, graph.rows, graph.wide
    for node in range(np.int64(graph.counters[USED_NODES])):
        row = node * ROW
        if rows[row + REFERENCES] < 0:
            continue
        # A node has the stones of its side to move; the other side has the rest below the top.
        same = (rows[row + META] >> form.SIDE & 1) == side
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
