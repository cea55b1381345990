"""Processes that work for this one, die with it, and leave its signals to it."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.resource_tracker import ensure_running
from typing import Any, ParamSpec, TypeVar

from bots.parent_death import die_with_parent
from ladder.errors import LadderError
from ladder.signals import check_stop

__all__ = ["BrokenProcessPool", "WorkerPool", "call_apart"]

P = ParamSpec("P")
T = TypeVar("T")
TICK_S = 0.1
SILENT_TRACKER = "ignore:resource_tracker"
"""The option -W by which Python says nothing of semaphores that a killed process has left."""


class WorkerPool:
    """A pool of fresh interpreters, each prepared by a function before its first work.

    The standard library's pool breaks as a whole when one worker dies: every future that it still
    owed ends in `BrokenProcessPool`, and the caller calls `rebuild` and submits that work again.
    """

    def __init__(self, count: int, prepare: Callable[..., None], *arguments: Any) -> None:
        """Nothing is started before the first work.

        Args:
            count: pieces of work at the same time.
            prepare: called in each worker at its start.
            arguments: of `prepare`, picklable as that.

        """
        self.count = count
        self._prepare = prepare
        self._arguments = arguments
        self._executor = self._build()

    def call(self, function: Callable[P, T], *args: P.args, **keys: P.kwargs) -> "Future[T]":
        """Have some worker call a function.

        Raises:
            BrokenProcessPool: a worker has died; `rebuild` first.

        """
        # Workers are started here when needed. They inherit the mask: a Ctrl-C on the terminal
        # reaches the whole process group, and only the coordinator may act on it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            return self._executor.submit(function, *args, **keys)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def rebuild(self) -> None:
        """Replace a broken pool."""
        self.kill()
        self._executor = self._build()

    def close(self) -> None:
        """End idle workers in good order."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def kill(self) -> None:
        """End all workers at once, whatever they do."""
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
                initializer=_begin,
                initargs=(os.getpid(), self._prepare, self._arguments),
            )
        finally:
            sys.warnoptions.remove(SILENT_TRACKER)
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _begin(coordinator: int, prepare: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    die_with_parent(coordinator)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    prepare(*arguments)


def result_of(pool: WorkerPool, work: "Future[T]") -> T:
    """Wait for a piece of work; the pool is killed when the user wishes a stop meanwhile.

    Raises:
        Stopped: the user wants the command to end.
        LadderError: the worker was killed.

    """
    try:
        check_stop()
        while not wait((work,), timeout=TICK_S).done:
            check_stop()
        return work.result()
    except BrokenProcessPool as error:
        raise LadderError(
            "the process that computes was killed: look for a full memory or a killing process"
        ) from error
    finally:
        if not work.done():
            pool.kill()


def call_apart(function: Callable[P, T], *args: P.args, **keys: P.kwargs) -> T:
    """Call a function in a process of its own, as compiled code that runs for long hears no stop.

    Raises:
        Stopped: the user wants the command to end; the process was killed.
        LadderError: the process was killed by somebody else.

    """
    pool = WorkerPool(1, _nothing)
    try:
        return result_of(pool, pool.call(function, *args, **keys))
    finally:
        pool.kill()


def _nothing() -> None:
    """No preparation."""
