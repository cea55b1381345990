"""The players that search with the learned evaluation."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bots.budget import Budget, RemainingTime
from bots.game_clock import GameClock
from bots.learned import search as kernel
from bots.learned.network import WHOLE
from bots.learned.settings import LearnedSettings
from bots.learned.weights import read_evaluation
from bots.options import read_options
from bots.simulation_budget import spend
from bots.uct.player import DESCENTS_PER_SIMULATION
from bots.uct.settings import Settings
from bots.uct.tree.layout import DEPTH, NEW, NODES, OLD, ROOT, STATE, TreeMemory
from bots.uct.tree.player import TreePlayer
from engine.seeds import mix

LEAST_MOVES = 3
"""Least number of own moves for which `LearnedPlayer` keeps time."""
_HALF = WHOLE / 2
"""`bots.uct.ucb_vector.best_child` halves scores, so its means are 0 .. WHOLE / 2."""


class _Thread:
    """The search of one thread, with a path and counters of its own."""

    def __init__(self, player: "LearnedPlayer", memory: TreeMemory, number: int) -> None:
        self._player = player
        self.counters = np.zeros_like(memory.counters)
        # The first thread draws as a single one does.
        state = int(memory.counters[STATE])
        self.counters[STATE] = mix(state, number) or 1 if number else state
        self._memory = memory._replace(path=np.zeros_like(memory.path), counters=self.counters)

    def advance(self, simulations: int) -> bool:
        """Expand nodes; return False if the root is solved or has `MOST_VISITS`."""
        return self._player.advance_in(self._memory, simulations)


class LearnedPlayer(TreePlayer):
    """A tree search with the learned evaluation."""

    _settings: LearnedSettings
    _win = WHOLE

    def _read(self, options: dict[str, Any]) -> Settings:
        settings = read_options(LearnedSettings, options)
        self._evaluation = read_evaluation(settings.weights)
        return settings

    def set_clock(self, clock: RemainingTime, ply: int) -> None:
        """Divide the remaining time by the number of own moves that are expected.

        This is the rule EXP of H. Baier and M. H. M. Winands, Time Management for Monte Carlo Tree
        Search, IEEE Transactions on Computational Intelligence and AI in Games 8 (2016), with a
        number of moves that is proportional to the empty cells.
        """
        moves = (self._board.cells - ply) // max(1, self._settings.cells_per_move)
        left = GameClock.remaining(clock)
        self._budget = Budget(time_ms=left.share_ms(max(LEAST_MOVES, moves)))

    def advance(self, simulations: int) -> bool:
        """Expand nodes; return False if the root is solved or has `MOST_VISITS`."""
        return self.advance_in(self._memory(), simulations)

    def advance_in(self, memory: TreeMemory, simulations: int) -> bool:
        """Advance with the path and the counters of a memory; see `advance`."""
        kernel.search(
            memory,
            self._counters,
            float(self._settings.c) * _HALF,
            self._evaluation,
            kernel.Parameters(
                int(self._settings.mixed),
                bool(self._settings.keeping),
                bool(self._settings.fourth_root),
            ),
            simulations,
            DESCENTS_PER_SIMULATION * simulations,
        )
        return not self._solved() and bool(self._tree[ROOT] < kernel.MOST_VISITS)

    def _spend(self, started: float) -> None:
        count = self._settings.threads
        if count == 1:
            super()._spend(started)
            return
        memory = self._memory()
        threads = [_Thread(self, memory, number) for number in range(count)]

        def search(thread: _Thread, budget: Budget) -> None:
            spend(thread, budget, share=self._settings.clock_share, started=started)

        with ThreadPoolExecutor(count) as pool:
            # Consuming the results raises what a thread has raised.
            list(pool.map(search, threads, _shares(self._budget, count)))
        for thread in threads:
            self._counters[[NEW, OLD, NODES]] += thread.counters[[NEW, OLD, NODES]]
            self._counters[DEPTH] = max(self._counters[DEPTH], thread.counters[DEPTH])


def _shares(budget: Budget, count: int) -> list[Budget]:
    """Divide a number of simulations among threads; a time is the same for all."""
    if budget.simulations is None:
        return [budget] * count
    least, more = divmod(budget.simulations, count)
    amounts = [least + (number < more) for number in range(count)]
    return [Budget(simulations=amount) for amount in amounts if amount]
