"""The memory layout of a graph: nodes are positions, edges are moves.

A node is a row of sixteen 32-bit integers, one cache line, accessible through three arrays on the
same memory (32-bit and 64-bit integers, single-precision numbers)::

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
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """Hash table, see `bots.uct.graph.hash_table`."""
    shift: np.uint64
    """64 less the number of bits of the table's size."""
    counters: Wide
    """Counters, see `USED_NODES`."""
