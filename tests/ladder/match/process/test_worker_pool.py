"""The pool of worker processes: each task runs once, or is reported as lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from ladder.match.process.worker_pool import WorkerDied, WorkerPool

ROOT = Path(__file__).resolve().parents[4]


def nothing() -> None:
    """Needs no preparation."""


def note(path: Path, text: str, seconds: float = 0.0) -> int:
    """Leave a line in a file and work on for a while."""
    with path.open("a") as file:
        file.write(f"{text} ")
    time.sleep(seconds)
    return os.getpid()


def fail(text: str) -> None:
    raise ValueError(text)


class Unpicklable(Exception):
    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def fail_strangely() -> None:
    raise Unpicklable("a", "b")


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(1, nothing)
    yield made
    made.kill()


def await_all(pool: WorkerPool, *futures: "Future[int]") -> None:
    deadline = time.monotonic() + 60
    while not all(future.done() for future in futures):
        assert time.monotonic() < deadline, "a future is never done"
        pool.wait(1)


NO_MORE_PROCESSES = """
import os, resource
from ladder.errors import MachineStalled
from ladder.match.process.worker_pool import WorkerPool
if __name__ == "__main__":
    open_files = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))
    try:
        WorkerPool(2).call(os.getpid)
    except MachineStalled as stall:
        print(stall)
"""


@pytest.mark.slow
def test_a_worker_that_cannot_be_started_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    """It is one sentence with a remedy, after several attempts."""
    script = tmp_path / "owner.py"
    script.write_text(NO_MORE_PROCESSES)
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("no worker process can be started: ")
    assert done.stdout.endswith("; allow more open files (ulimit -n)\n")


def test_one_worker_runs_its_tasks_in_order(pool: WorkerPool, tmp_path: Path) -> None:
    """A pool of one worker runs one task after another."""
    futures = [pool.call(note, tmp_path / "log", str(number)) for number in range(5)]
    await_all(pool, *futures)
    assert (tmp_path / "log").read_text() == "0 1 2 3 4 "
    assert len({future.result() for future in futures}) == 1


@pytest.mark.slow
def test_an_exception_is_raised_with_its_traceback(pool: WorkerPool) -> None:
    """An exception that cannot be pickled arrives as text; the worker lives on."""
    failed, strange = pool.call(fail, "as asked"), pool.call(fail_strangely)
    while not (failed.done() and strange.done()):
        pool.wait(1)
    with pytest.raises(ValueError, match="as asked") as caught:
        failed.result()
    assert "in fail" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="Unpicklable: ab"):
        strange.result()


@pytest.mark.slow
def test_the_death_of_a_worker_fails_only_its_running_task(
    pool: WorkerPool, tmp_path: Path
) -> None:
    """Its other tasks run once in another worker."""
    log = tmp_path / "log"
    first = pool.call(note, log, "first")
    await_all(pool, first)  # now it is known as quick and is given work ahead
    long = pool.call(note, log, "long", 60)
    ahead = pool.call(note, log, "ahead")
    while "long" not in log.read_text():
        time.sleep(0.01)
    os.kill(first.result(), signal.SIGKILL)
    await_all(pool, ahead)
    assert isinstance(long.exception(), WorkerDied)
    assert ahead.result() != first.result()
    assert log.read_text() == "first long ahead "


@pytest.mark.slow
def test_no_task_waits_behind_a_long_one(tmp_path: Path) -> None:
    """A waiting task goes to the first free worker, and can be cancelled."""
    pool = WorkerPool(2, nothing)
    try:
        log = tmp_path / "log"
        slow, quick = pool.call(note, log, "slow", 60), pool.call(note, log, "quick", 0.2)
        third, fourth = pool.call(note, log, "third", 0.2), pool.call(note, log, "fourth")
        assert fourth.cancel()
        await_all(pool, quick, third)
        assert third.result() == quick.result()
        assert not slow.done()
        assert "fourth" not in log.read_text()
    finally:
        pool.kill()


@pytest.mark.slow
def test_an_idle_worker_that_was_killed_is_replaced(pool: WorkerPool, tmp_path: Path) -> None:
    """No task was lost, and no error is raised."""
    first = pool.call(note, tmp_path / "log", "first")
    await_all(pool, first)
    os.kill(first.result(), signal.SIGKILL)
    pool.wait(60)
    second = pool.call(note, tmp_path / "log", "second")
    await_all(pool, second)
    assert second.result() != first.result()


@pytest.mark.slow
def test_one_wait_completes_all_finished_tasks(pool: WorkerPool, tmp_path: Path) -> None:
    """A caller that comes late, as after a slow write, does not wait for each of them."""
    log = tmp_path / "log"
    while pool.capacity < 4:  # until one was quick, so that all of them are given at once
        await_all(pool, pool.call(note, log, "first", 0.005))
    futures = [pool.call(note, log, f"{number}") for number in range(4)]
    while "3" not in log.read_text():  # the results before it have been sent
        time.sleep(0.01)
    pool.wait(60)
    assert all(future.done() for future in futures[:3])


@pytest.mark.slow
def test_short_tasks_are_queued_ahead_and_all_completed(tmp_path: Path) -> None:
    """Two workers have several short tasks each; while one has none, the other's results arrive."""
    file = tmp_path / "done"
    pool = WorkerPool(2, nothing)
    try:
        assert pool.capacity == 4
        for number in range(4):
            await_all(pool, *(pool.call(note, file, f"{number}a") for _ in range(8)))
        await_all(pool, *(pool.call(note, file, "many") for _ in range(pool.capacity)))
        for number in range(3):
            await_all(pool, pool.call(note, file, f"{number}b"))
    finally:
        pool.kill()
    assert len(file.read_text().split()) >= 32 + 3
