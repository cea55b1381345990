"""Processes that work for this one, die with it, and leave its signals to it.

Each has a pipe of its own, on which its work comes and its results go: what one of them holds when
it is killed, no other waits for. Everything is done by the thread that asks, for a thread that only
passes things on costs a coordinator of short games a third of its time.
"""

import multiprocessing
import os
import pickle
import select
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.resource_tracker import ensure_running
from typing import Any, NamedTuple, ParamSpec, TypeVar

from bots.parent_death import die_with_parent
from ladder.errors import LadderError
from ladder.match.process.orphans import adopt_orphans, end_orphans
from ladder.signals import check_stop

P = ParamSpec("P")
T = TypeVar("T")
TICK_S = 0.1
AHEAD_S = 0.05
"""A worker whose last work was shorter gets its next before it is done: it would wait for us. After
a long work it does not, because another worker may be free sooner."""
QUEUE_S = 0.05
"""Work that is given ahead of time, in seconds: while a worker has this much to do, we may gather
the results of several pieces instead of coming for each, and a slow disk keeps nobody waiting."""
MOST_AHEAD = 64
"""Pieces of work that a worker has at most."""
NAP_S = 0.003
"""How long results are let gather, where every worker has enough to do meanwhile."""


class WorkerDied(Exception):
    """A worker ended in the middle of a piece of work."""


class _Task(NamedTuple):
    """A call, packed for its worker."""

    future: "Future[Any]"
    packed: bytes


@dataclass(eq=False)
class _Worker:
    """A process and our end of its pipe."""

    process: BaseProcess
    pipe: Connection
    given: deque[_Task] = field(default_factory=deque)
    """In the order in which it does them; it is at the first."""
    last_s: float = AHEAD_S
    """How long its last work took it; what was idle before does not count."""

    @property
    def capacity(self) -> int:
        """How many pieces of work it may have, the one that it is at among them."""
        if self.last_s >= AHEAD_S:
            return 1
        return min(MOST_AHEAD, 2 + int(QUEUE_S / max(self.last_s, 1e-6)))

    @property
    def queued_s(self) -> float:
        """How long it can go on without us when it has just finished a piece of work."""
        return max(0, len(self.given) - 1) * self.last_s


def _nothing() -> None:
    """No preparation."""


class WorkerPool:
    """Fresh interpreters, each prepared by a function before its first work.

    Not shared between threads: futures are done by `wait`. When a worker dies, the future of what
    it was at ends in `WorkerDied`, and another takes its place.
    """

    def __init__(
        self, count: int, prepare: Callable[..., None] = _nothing, *arguments: Any
    ) -> None:
        """Nothing is started before the first work.

        Args:
            count: pieces of work at the same time.
            prepare: called in each worker at its start; the worker imports the module that
                defines it.
            arguments: of `prepare`, picklable as that.

        """
        self.count = count
        self._prepare = prepare
        self._arguments = arguments
        self._workers: dict[int, _Worker] = {}
        """By the descriptor of the pipe."""
        self._results = select.poll()
        self._waiting: deque[_Task] = deque()

    def call(self, function: Callable[P, T], *args: P.args, **keys: P.kwargs) -> "Future[T]":
        """Have some worker call a function; `wait` brings the result."""
        future: Future[T] = Future()
        self._waiting.append(_Task(future, pickle.dumps((function, args, keys))))
        self._assign_tasks()
        return future

    @property
    def capacity(self) -> int:
        """How many pieces of work are given out at once; quick ones are given ahead of time."""
        capacities = sum(max(2, worker.capacity) for worker in self._workers.values())
        return capacities + 2 * (self.count - len(self._workers))

    def wait(self, timeout_s: float) -> None:
        """Take the results that have come; returns at the first ones, or after the timeout.

        Where the work is quick, the first ones are those of some milliseconds.
        """
        ready = self._results.poll(timeout_s * 1000)
        nap_s = self._batching_pause_s() if ready else 0.0
        if nap_s:
            time.sleep(nap_s)
        for _ in range(MOST_AHEAD):
            for descriptor, _event in ready:
                worker = self._workers[descriptor]
                try:
                    self._take(worker, worker.pipe.recv_bytes())
                except (EOFError, OSError):
                    self._handle_worker_death(worker)
            ready = ready and self._results.poll(0)
            if not ready:
                break
        self._assign_tasks()

    def _batching_pause_s(self) -> float:
        """How long to let results gather, so that no worker runs out of work; 0: not at all."""
        workers = self._workers.values()
        if any(worker.last_s >= NAP_S for worker in workers):
            return 0.0
        return min(NAP_S, *(worker.queued_s / 2 for worker in workers))

    def _take(self, worker: _Worker, packed: bytes) -> None:
        """A result has come."""
        succeeded, result, worker.last_s = pickle.loads(packed)  # noqa: S301 - a process of ours
        future = worker.given.popleft().future
        if succeeded:
            future.set_result(result)
        else:
            future.set_exception(result)

    def close(self) -> None:
        """End the workers in good order, when they are done with what they are at."""
        self._cancel_waiting()
        for worker in self._workers.values():
            worker.pipe.close()
        for worker in self._workers.values():
            worker.process.join()
        self._workers.clear()

    def kill(self) -> None:
        """End all workers at once, whatever they do."""
        for worker in self._workers.values():
            worker.process.kill()
        self.close()
        end_orphans()

    def _cancel_waiting(self) -> None:
        while self._waiting:
            self._waiting.popleft().future.cancel()
        self._results = select.poll()

    def _assign_tasks(self) -> None:
        """Give away the work that waits, as far as there are workers for it."""
        while self._waiting:
            worker = self._choose_worker()
            if worker is None:
                return
            work = self._waiting.popleft()
            if not (work.future.running() or work.future.set_running_or_notify_cancel()):
                continue  # it was cancelled
            worker.given.append(work)
            try:
                worker.pipe.send_bytes(work.packed)
            except OSError:
                self._handle_worker_death(worker)

    def _choose_worker(self) -> _Worker | None:
        """The taker of the next piece of work: an idle worker, a new one, one that is quick."""
        workers = self._workers.values()
        least = min(workers, key=lambda worker: len(worker.given), default=None)
        if least is not None and not least.given:
            return least
        if len(workers) < self.count:
            return self._start()
        return least if least is not None and len(least.given) < least.capacity else None

    def _handle_worker_death(self, worker: _Worker) -> None:
        """A worker has died: what it was at is lost, what it had not begun is another's."""
        descriptor = worker.pipe.fileno()
        self._results.unregister(descriptor)
        del self._workers[descriptor]
        worker.pipe.close()
        worker.process.kill()  # whatever closes its pipe is of no use any more
        worker.process.join()
        end_orphans()  # its bots are ending, and might have killed it
        if worker.given:
            worker.given.popleft().future.set_exception(WorkerDied())
        self._waiting.extendleft(reversed(worker.given))

    def _start(self) -> _Worker:
        adopt_orphans()
        ours, theirs = multiprocessing.Pipe()
        _start_tracker()
        # A new process inherits the mask. A Ctrl-C on the terminal reaches the whole process group,
        # and only the coordinator may act on it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            process = multiprocessing.get_context("spawn").Process(
                target=_work,
                args=(theirs, os.getpid(), self._prepare, self._arguments),
                daemon=True,
            )
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            theirs.close()
        worker = self._workers[ours.fileno()] = _Worker(process, ours)
        self._results.register(ours.fileno(), select.POLLIN)
        return worker


def _start_tracker() -> None:
    """Start the library's tracker of resources, which comes with the first process.

    It is to end with us, and not by a SIGHUP to our group: it keeps the mask that it is started
    with. Before any other mask is set, for its start lets SIGINT through again.
    """
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
    try:
        ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _work(
    pipe: Connection, coordinator: int, prepare: Callable[..., None], arguments: tuple[Any, ...]
) -> None:
    """The life of a worker."""
    die_with_parent(coordinator)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    prepare(*arguments)
    try:
        while True:
            function, args, keys = pickle.loads(pipe.recv_bytes())  # noqa: S301 - our coordinator
            pipe.send_bytes(_run_task(function, args, keys))
    except (EOFError, OSError):
        pass  # the coordinator has closed the pipe


def _run_task(function: Callable[..., Any], args: Any, keys: Any) -> bytes:
    """Whether a call has succeeded, its value or its exception, and how long it took; packed."""
    begun = time.monotonic()
    try:
        value = function(*args, **keys)
        return pickle.dumps((True, value, time.monotonic() - begun))
    except BaseException as error:
        told = "".join(traceback.format_exception(error))
        took_s = time.monotonic() - begun
        try:
            error.add_note(f"In a worker:\n{told}")
            packed = pickle.dumps((False, error, took_s))
            pickle.loads(packed)  # noqa: S301 - many can be packed and not unpacked
            return packed
        except Exception:  # of whatever kind: its text can travel
            return pickle.dumps((False, RuntimeError(told), took_s))


def wait_for_result(pool: WorkerPool, work: "Future[T]") -> T:
    """Wait for a piece of work; the pool is killed when the user wishes a stop meanwhile.

    Raises:
        Stopped: the user wants the command to end.
        LadderError: the worker was killed.

    """
    try:
        check_stop()
        while not work.done():
            pool.wait(TICK_S)
            check_stop()
        return work.result()
    except WorkerDied as error:
        raise LadderError(
            "the process that computes was killed: look for a full memory or a killing process"
        ) from error
    finally:
        if not work.done():
            pool.kill()


def call_in_subprocess(function: Callable[P, T], *args: P.args, **keys: P.kwargs) -> T:
    """Call a function in a process of its own, as compiled code that runs for long hears no stop.

    Raises:
        Stopped: the user wants the command to end; the process was killed.
        LadderError: the process was killed by somebody else.

    """
    pool = WorkerPool(1)
    try:
        return wait_for_result(pool, pool.call(function, *args, **keys))
    finally:
        pool.kill()
