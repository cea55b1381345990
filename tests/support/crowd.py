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


class Crowd:
    """Busy neighbours on one processor."""

    def __init__(self) -> None:
        self._hogs: list[subprocess.Popen[bytes]] = []

    def come(self) -> None:
        """Start the busy processes."""
        for _ in range(HOGS):
            code = "print(flush=True)\nwhile 1: pass"
            # A session each: the kernel may share a processor out by session (autogroup), and a
            # bot has one of its own.
            command = [sys.executable, "-I", "-S", "-c", code]
            self._hogs.append(
                subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
            )
        for hog in self._hogs:
            assert hog.stdout is not None
            hog.stdout.readline()

    def go(self) -> None:
        """Kill the busy processes."""
        while self._hogs:
            hog = self._hogs.pop()
            hog.kill()
            hog.wait()
            assert hog.stdout is not None
            hog.stdout.close()


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
