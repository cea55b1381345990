"""Pairs played again on the coordinator's own machine, which its user trusts."""

import threading

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import LadderError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.worker_pool import WorkerPool
from ladder.match.specs.compile import compile_entrants

TICK_S = 0.5
"""How soon a replay ends after the run, at least."""


class Replay:
    """Plays pairs one at a time; may be called in any thread."""

    def __init__(self, confinement: Confinement) -> None:
        """Prepare nothing yet; `confinement` holds the bounds of every bot."""
        self._confinement = confinement
        self._turn = threading.Lock()
        self._is_over = threading.Event()

    def __call__(self, plan: PairPlan) -> PairRecord:
        """Play a pair in a process of its own.

        Raises:
            LadderError: its bots cannot be compiled here, or the run has ended.
            WorkerDied: the process was killed.

        """
        with self._turn:
            return self._play(plan)

    def _play(self, plan: PairPlan) -> PairRecord:
        pool = WorkerPool(1)
        try:
            future = pool.call(play_alone, plan, self._confinement)
            while not future.done():
                if self._is_over.is_set():
                    raise LadderError("the run has ended")
                pool.wait(TICK_S)
            return future.result()
        finally:
            pool.kill()

    def end(self) -> None:
        """Have a pair in play given up soon."""
        self._is_over.set()


def play_alone(plan: PairPlan, confinement: Confinement) -> PairRecord:
    """Play a pair with bot processes that end with it.

    Raises:
        LadderError: its bots cannot be compiled here.

    """
    compile_entrants([plan.a, plan.b])
    bots = BotPool(confinement)
    try:
        return play_pair(plan, bots)
    finally:
        bots.close()
