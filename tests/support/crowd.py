"""Many busy processes that compete for one processor."""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HOGS = 10
HOG = """
import os, sys
first, number = os.getpid(), int(sys.argv[1])
(waiting, waits), (begun, begins) = os.pipe(), os.pipe()
for _ in range(number):
    if os.fork() == 0:
        os.close(begins)
        os.setsid()  # the kernel may share a processor out by session (autogroup), as bots have one
        os.write(waits, b".")
        os.read(begun, 1)
        while os.getppid() == first:
            for _ in range(100_000):
                pass
        os._exit(0)
for _ in range(number):
    os.read(waiting, 1)
os.close(begins)
print(flush=True)
sys.stdin.read()
"""
"""Starts processes that are busy as soon as all have started, and end soon after it."""


class Crowd:
    """Busy neighbours on one processor."""

    def __init__(self) -> None:
        self._hogs: subprocess.Popen[bytes] | None = None

    def come(self, hogs: int = HOGS) -> None:
        """Start the busy processes."""
        self._hogs = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", HOG, str(hogs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._hogs.stdout is not None
        assert self._hogs.stdout.readline()

    def go(self) -> None:
        """End the busy processes."""
        if self._hogs is not None:
            self._hogs.kill()
            self._hogs.communicate()  # ends with the last busy process
            self._hogs = None


@contextlib.contextmanager
def crowd_to_come() -> Iterator[Crowd]:
    """Stay on one processor, children included, which a crowd may make busy and leaves at the end.

    Start before it comes whatever need not start among busy neighbours: it takes long there. One
    crowd at a time on a machine: a test beside another one's would not become calm.
    """
    with (Path(tempfile.gettempdir()) / "connect4-ladder-tests.crowd").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        crowd = Crowd()
        try:
            yield crowd
        finally:
            crowd.go()
            os.sched_setaffinity(0, allowed)
