"""The players v1 to v4: a new tree on the array board for every move."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from bots.array_board import PLAYABLE, lay_out
from bots.budget import Budget
from bots.options import read_options
from bots.player import Choice, Info, TimedPlayer
from bots.simulation_budget import spend
from bots.uct.array import search as kernel
from bots.uct.nodes import OPEN, WON
from bots.uct.root import Candidate, best_mean
from bots.uct.settings import ArraySettings
from engine.bits import state_of_move
from engine.board import Board

SLOT_BYTES: Final = 17
"""Bytes per node in all arrays of the tree."""
MOST_SIMULATIONS_PER_MS = 500
"""More simulations per millisecond than any machine makes, to size the tree of a timed move."""
DESCENTS_PER_SIMULATION = 4
"""Descents per requested simulation after which a search without new nodes stops."""
PV_PLIES = 16


class ArrayPlayer(TimedPlayer):
    """One side of one game. Its options are the fields of `ArraySettings`."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side  # the moves determine it
        self._board = board
        self._seed = seed
        self._budget = budget
        self._settings = read_options(ArraySettings, options)
        # Compile or load everything that `choose` calls.
        ArrayTree(board, (), self._settings, 0, Budget(simulations=2)).advance(2)

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the column with the highest mean result."""
        started = self.now()
        tree = ArrayTree(self._board, tuple(moves), self._settings, self._seed, self._budget)
        spend(tree, self._budget, share=self._settings.clock_share, started=started, now=self.now)
        return tree.choice()


class ArrayTree:
    """The tree of one search."""

    def __init__(
        self,
        board: Board,
        moves: tuple[int, ...],
        settings: ArraySettings,
        seed: int,
        budget: Budget,
    ) -> None:
        self._board = board
        self._settings = settings
        self._side = len(moves) & 1
        cells, tops, self._state = lay_out(board, moves)
        wanted = budget.simulations or MOST_SIMULATIONS_PER_MS * (budget.time_ms or 1)
        slots = min(settings.memory_mib * 2**20 // SLOT_BYTES, 1 + (wanted + 1) * board.columns)
        self._nodes = kernel.ArrayMemory(
            cells,
            tops,
            self._state,
            first=np.zeros(slots, np.int32),
            made=np.zeros(slots, np.int8),
            visits=np.zeros(slots, np.int32),
            score=np.zeros(slots, np.int32 if settings.exact else np.float32),
            column=np.zeros(slots, np.int8),
            untried=np.zeros(slots, np.int16),
            end=np.zeros(slots, np.int8),
            path=np.zeros(board.cells + 1, np.int32),
            counters=np.zeros(5, np.uint64),
        )
        self._nodes.untried[0] = self._state[PLAYABLE]
        self._counters = self._nodes.counters
        self._counters[kernel.USED] = 1
        self._counters[kernel.STATE] = state_of_move(seed, self._side, len(moves))
        self._flags = (
            kernel.CHECK_WIN * settings.win_check
            + kernel.END_AT_CREATION * settings.exact
            + kernel.CONVERT * settings.convert
        )

    def advance(self, simulations: int) -> bool:
        """Make new simulations, or fewer if nearly all descents end in known ends."""
        kernel.search(
            self._nodes,
            self._side,
            self._flags,
            self._settings.c,
            simulations,
            DESCENTS_PER_SIMULATION * simulations,
        )
        return True

    def _candidate(self, node: int) -> Candidate:
        whole = 2 if self._settings.exact else 1
        visits = int(self._nodes.visits[node])
        end = int(self._nodes.end[node]) if self._settings.win_check else OPEN
        mean = float(self._nodes.score[node]) / (visits * whole)
        return Candidate(int(self._nodes.column[node]), mean, visits, end, 0)

    def choice(self) -> Choice:
        """Return the move and its statistics."""
        nodes = {self._candidate(node): node for node in self._children(0)}
        # v2 descends below won positions, which distorts their means: the flag decides.
        best = best_mean(list(nodes), self._board.columns, int(self._state[1 - self._side]))
        won = best.outcome == WON
        used = int(self._counters[kernel.USED])
        info = Info(
            simulations=int(self._counters[kernel.NEW]),
            solved_visits=int(self._counters[kernel.OLD]),
            depth=int(self._counters[kernel.DEPTH]),
            value=2 * best.mean - 1,
            pv=self._principal_variation(nodes[best]),
            tree=1 + int(np.count_nonzero(self._nodes.visits[1:used])),
            proven="win" if won else None,
            distance=1 if won else None,
        )
        return Choice(best.column, info)

    def _children(self, node: int) -> range:
        first = int(self._nodes.first[node])
        return range(first, first + int(self._nodes.made[node]))

    def _principal_variation(self, node: int) -> tuple[int, ...]:
        columns = [int(self._nodes.column[node])]
        while len(columns) < PV_PLIES and self._nodes.end[node] == OPEN:
            children = self._children(node)
            if not children:
                break
            node = max(children, key=self._nodes.visits.__getitem__)
            columns.append(int(self._nodes.column[node]))
        return tuple(columns)
