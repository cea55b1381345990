"""A processor with many more busy processes than it can serve."""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

HOGS = 10


@contextlib.contextmanager
def crowded() -> Iterator[Callable[[], None]]:
    """Stay on one processor, children included, among busy neighbours; the call ends those.

    One crowd at a time on a machine: a test beside another one's would not become calm.
    """
    with (Path(tempfile.gettempdir()) / "connect4-ladder-tests.crowd").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with _crowd() as calm:
            yield calm


@contextlib.contextmanager
def _crowd() -> Iterator[Callable[[], None]]:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    hogs: list[subprocess.Popen[bytes]] = []

    def calm() -> None:
        while hogs:
            hog = hogs.pop()
            hog.kill()
            hog.wait()
            assert hog.stdout is not None
            hog.stdout.close()

    try:
        for _ in range(HOGS):
            code = "print(flush=True)\nwhile 1: pass"
            # A session each: the kernel may share a processor out by session (autogroup), and a
            # bot has one of its own.
            command = [sys.executable, "-S", "-c", code]
            hogs.append(subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True))
        for hog in hogs:
            assert hog.stdout is not None
            hog.stdout.readline()
        yield calm
    finally:
        calm()
        os.sched_setaffinity(0, allowed)
