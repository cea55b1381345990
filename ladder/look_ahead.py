"""Work in threads whose results are taken in order, for work outside the interpreter's lock."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_order(
    tasks: Iterable[Task], work: Callable[[Task], Result], threads: int
) -> Iterator[Result]:
    """Yield the result of each task in order, while idle threads work on the next tasks.

    With one thread each task begins when its result is asked for. With more, tasks are taken ahead
    of results, and threads run at idle priority.

    Args:
        tasks: the tasks, perhaps without end.
        work: computes a result; called in any thread.
        threads: number of threads.

    """
    if threads == 1:
        yield from map(work, tasks)
        return
    started: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, initializer=lower_priority) as pool:
        try:
            for task in tasks:
                started.append(pool.submit(work, task))
                if len(started) > threads:
                    yield started.popleft().result()
            while started:
                yield started.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def lower_priority() -> None:
    """Let this thread and its children run only when no other wants to (SCHED_IDLE, or nice 19).

    On a busy machine they may then wait for hours, so ``LADDER_PRIORITY=normal`` prevents it.
    """
    if os.environ.get("LADDER_PRIORITY") == "normal":
        return
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except OSError:
        os.nice(19)
