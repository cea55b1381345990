"""The players with a graph, v14 to v17, which differ in how they free memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.options import read_options
from bots.uct import nodes as form
from bots.uct.graph import memory
from bots.uct.graph import search as kernel
from bots.uct.player import SearchPlayer, Statistics
from bots.uct.root import Candidate
from bots.uct.settings import GraphSettings
from bots.uct.ucb import SOLVED_OFFSET
from engine.arrays import LINE_BYTES, aligned
from engine.bits import state_of_move
from engine.lanes import to_words
from engine.position import Position, geometry

EMPTIED_EVERY = 10
"""Moves after which v14 clears the graph."""
REUSED_MOVES = {"emptied": 10, "counted": 4, "swept": 4, "bump": 1}
"""Capacity for nodes of earlier moves, in multiples of one move's search."""
NO_NODE = -1


def stones_of(position: Position) -> NDArray[np.uint64]:
    """Return a position as a node stores it: stones of the side to move and landing cells."""
    masks = geometry(position.board)
    occupied = position.stones[0] | position.stones[1] | masks.forbidden
    landing = (occupied + masks.bottoms) & ~occupied
    return to_words(position.stones[position.to_move] | landing)


def hash_of(position: Position) -> np.uint64:
    """Return the hash of a position's stones."""
    total = np.uint64(0)
    for side in (0, 1):
        for cell in range(memory.CELLS):
            if position.stones[side] >> cell & 1:
                total ^= memory.ZOBRIST[memory.CELLS * side + cell]
    return np.uint64(total)


class GraphPlayer(SearchPlayer[int]):
    """A graph search; nodes are numbers."""

    _settings: GraphSettings

    def _read(self, options: dict[str, Any]) -> None:
        self._settings = read_options(GraphSettings, options)
        self._distances = self._settings.distances

    def _search(self, simulations: int, descents: int) -> None:
        kernel.search_graph(
            self._graph,
            self._node,
            self._position.to_move,
            self._settings.flags,
            float(self._settings.c),
            simulations,
            descents,
        )

    def _allocate(self, simulations: int) -> None:
        moves = REUSED_MOVES[self._settings.memory]
        room = self._settings.memory_mib * 2**20 // memory.NODE_BYTES
        count = min(room, moves * simulations + 64)
        bits = max(6, (count + count // 2).bit_length())
        raw = np.empty(4 * count * memory.ROW + LINE_BYTES, np.uint8)
        self._rows = aligned(raw).view(np.int32)
        self._edges = np.empty(count * memory.EDGE_INTEGERS + form.SLACK, np.int32)
        table = np.empty(1 << bits, np.uint64)
        # Zeroed explicitly: access is random, so the first descents would wait for all pages
        # to be mapped.
        table.fill(0)
        self._counters = np.zeros(memory.COUNTERS, np.uint64)
        self._graph = memory.Graph(
            np.zeros((2, 3), np.uint64),
            self._words,
            np.zeros(3 * (self._board.cells + 2), np.int64),
            self._rows,
            self._rows.view(np.uint64),
            self._rows.view(np.float32),
            self._edges,
            self._edges.view(np.float32),
            table,
            np.uint64(64 - bits),
            self._counters,
        )
        self._moves: tuple[int, ...] | None = None
        self._node = NO_NODE
        self._asked = 0
        self._forget()

    def _forget(self) -> None:
        """Clear table, nodes and edges in one step."""
        generation = int(self._counters[memory.GENERATION]) + 1
        if generation > memory.GENERATIONS:
            self._graph.table[:] = 0
            generation = 1
        self._counters[:] = 0
        self._counters[memory.GENERATION] = generation
        self._counters[memory.USED_EDGES] = form.FIRST_FREE
        self._node = NO_NODE

    def _begin(self, moves: tuple[int, ...]) -> None:
        self._graph.stones[:] = self._stones
        former, policy = self._moves, self._settings.memory
        goes_on = former is not None and moves[: len(former)] == former
        emptied = policy == "emptied" and self._asked % EMPTIED_EVERY == 0
        if policy == "bump" or emptied or not goes_on:
            self._forget()
        self._asked += 1
        if policy == "swept" and goes_on:
            memory.sweep(self._graph, self._position.to_move)
        old = self._node
        self._node = self._find_root()
        if self._node == NO_NODE:
            self._forget()
            old = NO_NODE
            self._node = self._find_root()
        self._rows[self._node * memory.ROW + memory.REFERENCES] += 1
        if policy == "counted" and old != NO_NODE:
            memory.release(self._graph, old)
        self._moves = moves
        self._counters[memory.STATE] = state_of_move(self._seed, len(moves) & 1, len(moves))
        self._counters[[memory.NEW, memory.OLD, memory.DEPTH]] = 0

    def _find_root(self) -> int:
        meta = self._root_columns() | self._position.to_move << form.SIDE
        node = int(
            memory.root_node(self._graph, stones_of(self._position), hash_of(self._position), meta)
        )
        row = node * memory.ROW
        if node != NO_NODE and not self._rows[row + memory.EDGES]:
            # An end node has no children to choose from, so it is opened again.
            self._rows[row + memory.META] = meta
        return node

    def _meta(self, node: int) -> int:
        return int(self._rows[node * memory.ROW + memory.META])

    def _solved(self) -> bool:
        return self._meta(self._node) >> form.OUTCOME & 3 != form.OPEN

    def _children(self, node: int | None) -> list[tuple[Candidate, int]]:
        first = int(self._rows[(self._node if node is None else node) * memory.ROW + memory.EDGES])
        if not first:
            return []
        head = int(self._edges[first - form.HEAD])
        k = head & 255
        found = []
        for edge in range(first, first + (head >> 8)):
            child = int(self._edges[edge + 2 * k])
            mean = float(self._graph.edge_means[edge + k])
            outcome, distance = form.OPEN, 0
            if mean < SOLVED_OFFSET / 2:
                mean -= SOLVED_OFFSET
                outcome = self._meta(child) >> form.OUTCOME & 3
                distance = self._meta(child) >> form.DISTANCE & 255
            column, visits = int(self._edges[edge + 3 * k]), int(self._edges[edge])
            found.append((Candidate(column, mean, visits, outcome, distance), child))
        return found

    def _statistics(self) -> Statistics:
        new, old, depth, live = (
            int(self._counters[which])
            for which in (memory.NEW, memory.OLD, memory.DEPTH, memory.LIVE)
        )
        return Statistics(new, old, depth, live)


assert form.COLUMNS < 1 << form.OUTCOME  # noqa: S101 - the fields of a meta do not overlap
