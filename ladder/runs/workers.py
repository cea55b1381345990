"""The worker process: plays the pairs it is given with bot processes that it keeps."""

import multiprocessing
import os
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.resource_tracker import ensure_running
from multiprocessing.util import Finalize

from bots.parent_death import die_with_parent
from db.records.pairs import (
    PairPlan,
    PairRecord,
)
from ladder.game.bot_pool import BotPool
from ladder.game.referee import play_pair
from ladder.process.confinement import UNCONFINED, Confinement
from ladder.process.cpus import claim_cpu

SILENT_TRACKER = "ignore:resource_tracker"
"""The option -W by which Python says nothing of semaphores that a killed process has left."""

_pool: BotPool | None = None


def start_worker(coordinator: int, pin: bool, confinement: Confinement) -> None:
    """Prepare this process: die with the coordinator, leave Ctrl-C to it, keep bots.

    Args:
        coordinator: process id of the coordinator.
        pin: stay on a CPU of its own where one is free.
        confinement: the bounds of every bot.

    """
    die_with_parent(coordinator)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if pin:
        claim_cpu()
    global _pool
    _pool = BotPool(confinement)
    Finalize(None, _pool.close, exitpriority=10)


def play(plan: PairPlan) -> PairRecord:
    """Play one pair with the bots that this worker keeps."""
    assert _pool is not None, "start_worker runs first"  # noqa: S101 - the pool's initializer
    return play_pair(plan, _pool)


__all__ = ["BrokenProcessPool", "Workers"]


class Workers:
    """A process pool that plays pairs.

    The standard library's pool breaks as a whole when one worker dies: every future that it still
    owed ends in `BrokenProcessPool`, and the caller calls `rebuild` and submits those pairs again.
    """

    def __init__(
        self,
        count: int,
        *,
        pin: bool = True,
        confinement: Confinement = UNCONFINED,
    ) -> None:
        """Nothing is started before the first pair.

        Args:
            count: pairs played at the same time.
            pin: each worker stays on a CPU of its own where one is free.
            confinement: the bounds of every bot.

        """
        self.count = count
        self._pin = pin
        self._confinement = confinement
        self._executor = self._build()

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        """Play a pair in some worker.

        Raises:
            BrokenProcessPool: a worker has died; `rebuild` first.

        """
        # Workers are started here when needed. They inherit the mask: a Ctrl-C on the terminal
        # reaches the whole process group, and only the coordinator may act on it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            return self._executor.submit(play, plan)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def rebuild(self) -> None:
        """Replace a broken pool."""
        self.kill()
        self._executor = self._build()

    def close(self) -> None:
        """End idle workers and their bots in good order."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def kill(self) -> None:
        """End all workers at once; their bots' supervisors see it and end the bots."""
        for process in multiprocessing.active_children():
            process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _build(self) -> ProcessPoolExecutor:
        # The library's tracker of semaphores heeds a SIGHUP to our group and is then missed at the
        # end; it keeps the mask that it is started with, and ends when we do.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
        # When we are killed it tidies up after us, as it should, and complains, as nobody needs.
        # It takes the interpreter's options along.
        sys.warnoptions.append(SILENT_TRACKER)
        try:
            ensure_running()
            return ProcessPoolExecutor(
                self.count,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=start_worker,
                initargs=(os.getpid(), self._pin, self._confinement),
            )
        finally:
            sys.warnoptions.remove(SILENT_TRACKER)
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
