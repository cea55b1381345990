"""A processor with many more busy processes than it can serve."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

HOGS = 10


@contextlib.contextmanager
def crowded() -> Iterator[Callable[[], None]]:
    """Stay on one processor, children included, among busy neighbours; the call ends those."""
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
