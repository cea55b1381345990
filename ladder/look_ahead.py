"""Work in threads whose results are taken in order, for work outside the interpreter's lock."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


@contextmanager
def idle_threads(threads: int) -> Iterator[Executor]:
    """Yield a pool of threads at idle priority; at the end tasks that have not begun are left."""
    pool = ThreadPoolExecutor(threads, initializer=lower_priority)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def in_order(
    tasks: Iterable[Task],
    work: Callable[[Task], Result],
    threads: int,
    pool: Executor | None = None,
) -> Iterator[Result]:
    """Yield the result of each task in order, while idle threads work on the next tasks.

    With one thread each task begins when its result is asked for. With more, tasks are taken ahead
    of results, and threads run at idle priority.

    Args:
        tasks: the tasks, perhaps without end.
        work: computes a result; called in any thread.
        threads: number of threads.
        pool: the threads, if several series of tasks share them.

    """
    if threads == 1:
        yield from map(work, tasks)
        return
    started: deque[Future[Result]] = deque()
    with idle_threads(threads) if pool is None else nullcontext(pool) as used:
        for task in tasks:
            started.append(used.submit(work, task))
            if len(started) > threads:
                yield started.popleft().result()
        while started:
            yield started.popleft().result()


def lower_priority() -> None:
    """Let this thread and its children run only when no other wants to (SCHED_IDLE, or nice 19).

    On a busy machine they may then wait for hours, so a process under ``nice`` keeps its priority.
    """
    if os.getpriority(os.PRIO_PROCESS, 0) > 0:
        return
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        os.nice(19)
