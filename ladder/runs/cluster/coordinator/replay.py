"""Replays of pairs on the coordinator's own machine, whose results are trusted."""

import threading

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import LadderError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.confinement import Confinement
from ladder.match.process.worker_pool import WorkerPool
from ladder.match.specs.compile import compile_entrants

TICK_S = 0.5
"""Seconds after the end of the run within which a replay ends."""


class Replay:
    """Plays pairs one at a time; may be called in any thread."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._lock = threading.Lock()
        self._is_over = threading.Event()

    def __call__(self, plan: PairPlan) -> PairRecord:
        """Play a pair in a new process.

        Raises:
            LadderError: its bots cannot be compiled here, or the run has ended.
            WorkerDied: the process was killed.

        """
        with self._lock:
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
        """Cancel the pair in play."""
        self._is_over.set()


def play_alone(plan: PairPlan, confinement: Confinement) -> PairRecord:
    """Play a pair with new bot processes and end them.

    Raises:
        LadderError: its bots cannot be compiled here.

    """
    compile_entrants([plan.a, plan.b])
    bots = BotPool(confinement)
    try:
        return play_pair(plan, bots)
    finally:
        bots.close()
