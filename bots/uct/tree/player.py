"""The players with a fast tree, v5 to v13 and v18 on."""

from typing import Any

import numpy as np
from msgspec.structs import replace

from bots.options import read_options
from bots.player import Choice, exact_info
from bots.uct import nodes as form
from bots.uct.endgame import UNKNOWN, WIN, endgame_memory, solve_endgame
from bots.uct.player import SearchPlayer, Statistics
from bots.uct.root import Candidate
from bots.uct.settings import TreeSettings
from bots.uct.tree import memory
from bots.uct.tree import search as kernel
from engine.bits import state_of_move

SOLVER_NODES_PER_SIMULATION = 2
SOLVER_NODES_PER_MS = 1000
"""Limit of the solver's positions before the search, about a fifth of the move's time."""
REUSED_MOVES = 8
"""Capacity for the reused tree, in multiples of one move's search."""

TreeNode = tuple[int, int]
"""Place of a node's visits, and the stride of its block."""


class TreeBasedPlayer(SearchPlayer[TreeNode]):
    """A search with a new tree for every move or a reused one."""

    _win = form.WIN_POINTS
    """Points of a win."""
    _solves = True
    """v6: results proven at end nodes are backed up."""
    _reuses = False
    """v7: the tree below the current position is used again."""
    _endgame = 0
    """v18: most empty cells of a position that is solved exactly if that is fast."""

    def _memory(self) -> memory.TreeMemory:
        """Return the arrays of the search, with the current position's stones."""
        return memory.TreeMemory(
            self._stones, self._words, self._tree, self._path, self._counters, self._order
        )

    def _allocate(self, simulations: int) -> None:
        moves = REUSED_MOVES if self._reuses else 1
        block = form.HEAD + form.FIELDS * self._board.columns
        wanted = (moves * simulations + 2) * block + form.FIRST_FREE + form.SLACK
        cap = self._settings.memory_mib * 2**18
        self._tree = np.empty(min(cap, wanted), np.int32)
        middle = (self._board.columns - 1) / 2
        nearest = sorted(range(self._board.columns), key=lambda column: abs(column - middle))
        self._order = np.array(nearest, np.int64)
        self._path = np.zeros(2 * (self._board.cells + 2), np.int32)
        self._counters = np.zeros(memory.COUNTERS, np.uint64)
        self._root: tuple[int, ...] | None = None
        self._solver = endgame_memory()

    def _begin(self, moves: tuple[int, ...]) -> None:
        if not (self._reuses and self._reuse(moves)):
            self._tree[: form.FIRST_FREE] = (1 | 1 << 8, 0, 0, 0, 0, self._root_columns())
            self._counters[memory.USED] = form.FIRST_FREE
            self._counters[memory.NODES] = 1
        self._root = moves
        self._counters[memory.STATE] = state_of_move(self._seed, len(moves) & 1, len(moves))
        self._counters[[memory.NEW, memory.OLD, memory.DEPTH]] = 0

    def _reuse(self, moves: tuple[int, ...]) -> bool:
        """Reuse the part of the tree below the moves, if there is one."""
        root = self._root
        if root is None or moves[: len(root)] != root:
            return False
        at, k = memory.ROOT, 1
        for column in moves[len(root) :]:
            at, k = memory.find_child(self._tree, at, k, column)
            if not at:
                return False
        # An end node has no children to choose from.
        if int(self._tree[at + 3 * k]) >> form.OUTCOME & 3 and not self._tree[at + 2 * k]:
            return False
        if at != memory.ROOT:
            self._make_root(at, k)
        return True

    def _make_root(self, at: int, k: int) -> None:
        """Make a node of the tree the root."""
        self._compact(at, k)

    def _compact(self, at: int, k: int) -> None:
        """Make a node the root and free all nodes that cannot be reached from it."""
        used, nodes = memory.compact(self._tree, int(self._counters[memory.USED]), at, k)
        self._counters[memory.USED] = used
        self._counters[memory.NODES] = nodes

    def _run_every_kernel(self) -> None:
        super()._run_every_kernel()
        if self._endgame:
            self._run_solver(1)

    def _run_solver(self, limit: int) -> tuple[int, int, int]:
        """Return score, column and number of visited positions of `solve_endgame`."""
        return solve_endgame(self._stones, self._words, self._order, self._solver, limit)

    def _exact_answer(self, started: float) -> Choice | None:
        """Return the solver's answer near the end of the game (v18)."""
        empty = self._board.cells - self._position.ply
        if empty > self._endgame:
            return None
        limit = (
            SOLVER_NODES_PER_SIMULATION * self._budget.simulations
            if self._budget.simulations
            else SOLVER_NODES_PER_MS * (self._budget.time_ms or 1)
        )
        score, column, nodes = self._run_solver(limit)
        # A result by threats alone is left to the tree, which finds the move at once.
        if score == UNKNOWN or column < 0:
            return None
        distance = WIN - abs(score) if score else None
        info = exact_info(column, (score > 0) - (score < 0), distance, empty)
        tree = self._statistics().nodes
        return Choice(column, replace(info, simulations=0, nodes=nodes, tree=tree))

    def _solved(self) -> bool:
        return self._solves and int(self._tree[memory.ROOT + 3]) >> form.OUTCOME & 3 != form.OPEN

    def _children(self, node: TreeNode | None) -> list[tuple[Candidate, TreeNode]]:
        at, k = node or (memory.ROOT, 1)
        first = int(self._tree[at + 2 * k])
        if not first:
            return []
        head = int(self._tree[first - form.HEAD])
        k = head & 255
        places = [
            (child, k)
            for child in range(first, first + (head >> 8))
            if not self._tree[child + 3 * k] & form.UNSEEN
        ]
        return [(self._candidate(*child), child) for child in places]

    def _candidate(self, at: int, k: int) -> Candidate:
        visits, score, meta = (int(self._tree[at + field * k]) for field in (0, 1, 3))
        outcome = meta >> form.OUTCOME & 3
        mean = {form.WON: 1.0, form.DRAWN: 0.5, form.LOST: 0.0}.get(outcome)
        if mean is None:
            mean = score / (self._win * visits) if visits else 0.5
        return Candidate(meta >> 12 & 15, mean, visits, outcome, meta >> form.DISTANCE & 255)

    def _statistics(self) -> Statistics:
        new, old, depth, nodes = (
            int(self._counters[which])
            for which in (memory.NEW, memory.OLD, memory.DEPTH, memory.NODES)
        )
        return Statistics(new, old, depth, nodes)


class TreePlayer(TreeBasedPlayer):
    """The players v5 to v13 and v18 to v20."""

    _settings: TreeSettings

    def _read(self, options: dict[str, Any]) -> None:
        self._settings = settings = read_options(TreeSettings, options)
        self._forced, self._distances = settings.forced, settings.distances
        self._solves, self._reuses = settings.solve, settings.reuse
        self._endgame = settings.endgame

    def _search(self, simulations: int, descents: int) -> None:
        run = kernel.search if self._settings.vector else kernel.search_plain
        run(self._memory(), self._settings.parameters, simulations, descents)
