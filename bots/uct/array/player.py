"""The players v1 to v4: a new tree on the array board for every move."""

from typing import Any, Final

import numpy as np

from bots.array_board import PLAYABLE
from bots.array_position import lay_out
from bots.options import read_options
from bots.uct.array import search as kernel
from bots.uct.nodes import OPEN
from bots.uct.player import SearchPlayer, Statistics
from bots.uct.root import Candidate
from bots.uct.settings import ArraySettings
from engine.bits import state_of_move

SLOT_BYTES: Final = 17
"""Bytes per node in all arrays of the tree."""


class ArrayPlayer(SearchPlayer[int]):
    """A search with a new tree for every move; nodes are numbers, 0 is the root."""

    _settings: ArraySettings
    _most_simulations_per_ms = 500
    _forced = _distances = False

    def _read(self, options: dict[str, Any]) -> None:
        self._settings = settings = read_options(ArraySettings, options)
        self._flags = (
            kernel.CHECK_WIN * settings.win_check
            + kernel.END_AT_CREATION * settings.exact
            + kernel.CONVERT * settings.convert
        )

    def _allocate(self, simulations: int) -> None:
        wanted = 1 + (simulations + 1) * self._board.columns
        self._slots = min(self._settings.memory_mib * 2**20 // SLOT_BYTES, wanted)

    def _begin(self, moves: tuple[int, ...]) -> None:
        slots = self._slots
        cells, tops, state = lay_out(self._board, moves)
        self._nodes = kernel.ArrayMemory(
            cells,
            tops,
            state,
            first=np.zeros(slots, np.int32),
            made=np.zeros(slots, np.int8),
            visits=np.zeros(slots, np.int32),
            score=np.zeros(slots, np.int32 if self._settings.exact else np.float32),
            column=np.zeros(slots, np.int8),
            untried=np.zeros(slots, np.int16),
            end=np.zeros(slots, np.int8),
            path=np.zeros(self._board.cells + 1, np.int32),
            counters=np.zeros(5, np.uint64),
        )
        self._nodes.untried[0] = state[PLAYABLE]
        counters = self._nodes.counters
        counters[kernel.USED] = 1
        counters[kernel.STATE] = state_of_move(self._seed, len(moves) & 1, len(moves))

    def _search(self, simulations: int, descents: int) -> None:
        kernel.search(
            self._nodes,
            self._position.to_move,
            self._flags,
            self._settings.c,
            simulations,
            descents,
        )

    def _solved(self) -> bool:
        return False

    def _children(self, node: int | None) -> list[tuple[Candidate, int]]:
        # v2 descends below won positions, which distorts their means: the flag decides.
        if node is not None and self._nodes.end[node] != OPEN:
            return []
        first = int(self._nodes.first[node or 0])
        made = int(self._nodes.made[node or 0])
        return [(self._candidate(child), child) for child in range(first, first + made)]

    def _candidate(self, node: int) -> Candidate:
        whole = 2 if self._settings.exact else 1
        visits = int(self._nodes.visits[node])
        end = int(self._nodes.end[node]) if self._settings.win_check else OPEN
        mean = float(self._nodes.score[node]) / (visits * whole)
        return Candidate(int(self._nodes.column[node]), mean, visits, end, 0)

    def _statistics(self) -> Statistics:
        used, _, new, old, depth = (int(each) for each in self._nodes.counters)
        nodes = 1 + int(np.count_nonzero(self._nodes.visits[1:used]))
        return Statistics(new, old, depth, nodes)
