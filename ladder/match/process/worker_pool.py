"""A pool of worker processes that die with this process and leave signals to it.

Each worker has a pipe of its own for tasks and results, so a killed worker blocks no other. There
is no helper thread: passing tasks through one would cost a coordinator of short games a third of
its time. So futures complete only inside `WorkerPool.wait`.
"""

import contextlib
import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, ParamSpec, TypeVar

from ladder.errors import LadderError
from ladder.match.process.failures import machine_fault
from ladder.match.process.leftovers import clear_leftovers
from ladder.own_process import START
from ladder.signals import SIGNALS, current_stop

P = ParamSpec("P")
T = TypeVar("T")
TICK_S = 0.1
SHORT_TASK_S = 0.05
"""After a task shorter than this, a worker gets the next one in advance, so that it need not wait
for the coordinator. After longer tasks it does not, for another worker may be free sooner."""
QUEUE_S = 0.05
"""Work queued ahead for a worker, in seconds. A worker with 50 ms of work lets the coordinator
fetch several results at once, and does not wait for a slow disk."""
MOST_QUEUED = 64
"""Maximum number of tasks of one worker, including the running one."""
START_PAUSES_S = (0.05, 0.2, 0.8)
"""Pauses between the attempts to start the only worker, in seconds."""
BATCHING_S = 0.003
"""Longest pause in which results accumulate while every worker still has enough to do."""

RUN = (
    f"import sys; sys.path[:] = sys.argv[3:]; import {START}; "
    "from bots.parent_death import die_with_parent; die_with_parent(int(sys.argv[2])); "
    "from ladder.match.process.worker_pool import run_worker; run_worker(int(sys.argv[1]))"
)
"""The program of a worker; the arguments are the descriptor of its pipe, the process id of the
coordinator, and the import path. The other imports take so long that they come last."""


class WorkerDied(Exception):
    """The end of a worker during a task."""


class _Task(NamedTuple):
    """A call, packed for its worker."""

    future: "Future[Any]"
    packed: bytes


@dataclass(eq=False)
class _Worker:
    """A process and the coordinator's end of its pipe."""

    process: "subprocess.Popen[bytes]"
    pipe: Connection
    assigned: deque[_Task] = field(default_factory=deque)
    """Its tasks in order; the first one is running."""
    last_s: float = SHORT_TASK_S
    """Duration of its last task, without the wait before it."""

    @property
    def capacity(self) -> int:
        """Maximum number of tasks to assign, including the running one."""
        if self.last_s >= SHORT_TASK_S:
            return 1
        return min(MOST_QUEUED, 2 + int(QUEUE_S / max(self.last_s, 1e-6)))

    @property
    def queued_s(self) -> float:
        """Expected duration of the tasks after the running one."""
        return max(0, len(self.assigned) - 1) * self.last_s


def _do_nothing() -> None:
    """Do nothing; a function of a module, because a lambda cannot be pickled."""


class WorkerPool:
    """New interpreters, each prepared by a function before its first task.

    Not shared between threads. When a worker dies, the future of its running task raises
    `WorkerDied`, its other tasks go to other workers, and a new worker replaces it.
    """

    def __init__(
        self, count: int, prepare: Callable[..., None] = _do_nothing, *arguments: Any
    ) -> None:
        """Create a pool; a worker is started when there is a task for it.

        Args:
            count: number of workers.
            prepare: function of a module, called in each worker before its first task.
            arguments: arguments of `prepare`, picklable.

        """
        self.count = count
        self._prepare = prepare
        self._arguments = arguments
        self._workers: dict[int, _Worker] = {}
        """By the descriptor of their pipe."""
        self._results = select.poll()
        self._waiting: deque[_Task] = deque()

    def call(self, function: Callable[P, T], *args: P.args, **keys: P.kwargs) -> "Future[T]":
        """Have a worker call a function; the future completes inside `wait`."""
        future: Future[T] = Future()
        self._waiting.append(_Task(future, pickle.dumps((function, args, keys))))
        self._assign_tasks()
        return future

    @property
    def capacity(self) -> int:
        """Number of tasks to submit so that no worker is idle; more where tasks are short."""
        capacities = sum(max(2, worker.capacity) for worker in self._workers.values())
        return capacities + 2 * (self.count - len(self._workers))

    def wait(self, timeout_s: float) -> None:
        """Complete the futures whose results have come; return at the first ones or the timeout.

        Where tasks are short, results are collected for some milliseconds.
        """
        ready = self._results.poll(timeout_s * 1000)
        if ready:  # results may accumulate while no worker runs out of tasks
            spare_s = min(worker.queued_s for worker in self._workers.values()) / 2
            time.sleep(min(BATCHING_S, spare_s))
        for _ in range(MOST_QUEUED):
            for descriptor, _event in ready:
                worker = self._workers[descriptor]
                try:
                    self._complete_task(worker, worker.pipe.recv_bytes())
                except (EOFError, OSError):
                    self._handle_worker_death(worker)
            ready = ready and self._results.poll(0)
            if not ready:
                break
        self._assign_tasks()

    def _complete_task(self, worker: _Worker, packed: bytes) -> None:
        """Complete the future of a worker's running task with its result."""
        succeeded, result, worker.last_s = pickle.loads(packed)  # noqa: S301 - our own worker
        future = worker.assigned.popleft().future
        if succeeded:
            future.set_result(result)
        else:
            future.set_exception(result)

    def close(self) -> None:
        """Cancel waiting tasks, and end each worker after its running task.

        The results of assigned tasks are lost.
        """
        while self._waiting:
            self._waiting.popleft().future.cancel()
        self._results = select.poll()
        for worker in self._workers.values():
            worker.pipe.close()
        for worker in self._workers.values():
            worker.process.wait()
        self._workers.clear()

    def kill(self) -> None:
        """Kill all workers and the bots that they leave behind."""
        for worker in self._workers.values():
            worker.process.kill()
        self.close()
        clear_leftovers()

    def _assign_tasks(self) -> None:
        """Assign waiting tasks while there are workers for them."""
        while self._waiting:
            worker = self._choose_worker()
            if worker is None:
                return
            task = self._waiting.popleft()
            # A task that a dead worker left behind is already marked as running.
            if not (task.future.running() or task.future.set_running_or_notify_cancel()):
                continue  # it was cancelled
            worker.assigned.append(task)
            try:
                worker.pipe.send_bytes(task.packed)
            except OSError:
                self._handle_worker_death(worker)

    def _choose_worker(self) -> _Worker | None:
        """Choose the worker for the next task: idle, else new, else one with short tasks.

        Raises:
            MachineStalled: no worker runs, and none can be started.

        """
        workers = self._workers.values()
        least = min(workers, key=lambda worker: len(worker.assigned), default=None)
        if least is None:
            return self._start_only()
        if least.assigned and len(workers) < self.count:
            with contextlib.suppress(OSError):  # the others continue without it
                return self._start()
        return least if len(least.assigned) < least.capacity else None

    def _start_only(self) -> _Worker:
        """Start the only worker, in several attempts. Raises MachineStalled."""
        for pause_s in START_PAUSES_S:
            with contextlib.suppress(OSError):
                return self._start()
            time.sleep(pause_s)
        try:
            return self._start()
        except OSError as error:
            raise machine_fault("no worker process can be started", error) from error

    def _handle_worker_death(self, worker: _Worker) -> None:
        """Fail the running task of a dead worker, and requeue its other tasks."""
        descriptor = worker.pipe.fileno()
        self._results.unregister(descriptor)
        del self._workers[descriptor]
        worker.pipe.close()
        worker.process.kill()  # it may live with a closed pipe
        worker.process.wait()
        clear_leftovers()  # the bots that it started
        if worker.assigned:
            worker.assigned.popleft().future.set_exception(WorkerDied())
        self._waiting.extendleft(reversed(worker.assigned))

    def _start(self) -> _Worker:
        """Start a worker. Raises OSError."""
        ours, theirs = multiprocessing.Pipe()
        descriptor = str(theirs.fileno())
        # A terminal signals the whole process group, and only the coordinator may act on it: a new
        # process inherits the mask, and `run_worker` then does nothing on these signals.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            # Not by multiprocessing, which would start a process that tracks shared memory, too.
            process = subprocess.Popen(
                (sys.executable, "-P", "-c", RUN, descriptor, str(os.getpid()), *sys.path),
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        except OSError:
            ours.close()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            theirs.close()
        worker = self._workers[ours.fileno()] = _Worker(process, ours)
        self._results.register(ours.fileno(), select.POLLIN)
        with contextlib.suppress(OSError):  # its death is handled when its pipe is read
            ours.send_bytes(pickle.dumps((self._prepare, self._arguments)))
        return worker


def run_worker(descriptor: int) -> None:
    """Run tasks in a worker process until the coordinator closes the pipe."""
    pipe = Connection(descriptor)
    try:
        first = pipe.recv_bytes()
    except (EOFError, OSError):  # the coordinator has died
        return
    prepare, arguments = pickle.loads(first)  # noqa: S301 - our own pipe
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)  # bots inherit no handler, but an ignored signal
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    prepare(*arguments)
    try:
        while True:
            function, args, keys = pickle.loads(pipe.recv_bytes())  # noqa: S301 - our own pipe
            pipe.send_bytes(_run_task(function, args, keys))
    except (EOFError, OSError):  # the coordinator has closed the pipe
        pass


def _run_task(function: Callable[..., Any], args: Any, keys: Any) -> bytes:
    """Call a function; return success, value or exception, and duration in seconds, pickled."""
    begun = time.monotonic()
    try:
        value = function(*args, **keys)
        return pickle.dumps((True, value, time.monotonic() - begun))
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        took_s = time.monotonic() - begun
        try:
            error.add_note(f"In a worker:\n{text}")
            packed = pickle.dumps((False, error, took_s))
            pickle.loads(packed)  # noqa: S301 - many exceptions can be pickled but not unpickled
            return packed
        except Exception:
            return pickle.dumps((False, RuntimeError(text), took_s))


def wait_for_result(pool: WorkerPool, work: "Future[T]") -> T:
    """Return the result of a task, or kill the pool if the user stops the command.

    Raises:
        Stopped: the user stops the command.
        LadderError: the worker was killed.

    """
    try:
        current_stop().check()
        while not work.done():
            pool.wait(TICK_S)
            current_stop().check()
        return work.result()
    except WorkerDied as error:
        raise LadderError(
            "a computing process was killed: the system may be out of memory (check the OOM killer)"
        ) from error
    finally:
        if not work.done():
            pool.kill()


def call_in_subprocess(function: Callable[P, T], *args: P.args, **keys: P.kwargs) -> T:
    """Call a function in a new process, so that Ctrl-C works even in long compiled code.

    Raises:
        Stopped: the user stops the command.
        LadderError: the process was killed from outside.

    """
    pool = WorkerPool(1)
    try:
        return wait_for_result(pool, pool.call(function, *args, **keys))
    finally:
        pool.kill()
