"""Leftovers: processes and folders of bots whose supervisor was killed.

A bot's scratch folder is in the environment of all its processes. The folder's name contains the
process id of its harness, and a supervisor locks it until it ends, however it ends. So a folder is
a leftover if its harness has ended and its lock is free.
"""

import contextlib
import fcntl
import os
import re
import tempfile
import time
from pathlib import Path

from ladder.match.process.cgroups import end_group
from ladder.match.process.supervisor import remove

NAME = re.compile(r"ladder-(\d+)-[0-9a-f]{16}")
"""Name of a scratch folder: the process id of its harness, and a random part."""
PATIENCE_S = 1.0


def find_leftovers(folder: Path | None = None) -> list[Path]:
    """Return this user's scratch folders without harness and supervisor.

    Args:
        folder: where they are; None: where this process makes its own.

    """
    return [path for path in _without_harness(folder) if _is_unlocked(path)]


def clear_leftovers(folder: Path | None = None) -> int:
    """Clear all leftovers, and return how many there were.

    Waits up to PATIENCE_S for supervisors that have lost their harness and end their bots.
    """
    cleared: set[Path] = set()
    deadline = time.monotonic() + PATIENCE_S
    while left := [path for path in _without_harness(folder) if path not in cleared]:
        for scratch in filter(_is_unlocked, left):
            clear(scratch)
            cleared.add(scratch)
        if time.monotonic() > deadline:
            break
        time.sleep(0.005)
    return len(cleared)


def _without_harness(folder: Path | None) -> list[Path]:
    """Return the scratch folders whose harness has ended, except those of other users."""
    import psutil  # a worker loads this module, and rarely needs it

    paths = sorted(Path(folder or tempfile.gettempdir()).glob("ladder-*"))
    names = [(path, NAME.fullmatch(path.name)) for path in paths if os.access(path, os.R_OK)]
    return [path for path, name in names if name and not psutil.pid_exists(int(name[1]))]


def clear(scratch: Path) -> None:
    """Kill the processes of a bot without supervisor, and remove its folder and control group.

    They are found by the scratch folder in their environment; one that changed it escapes, unless
    it is in the control group.
    """
    import psutil

    end_group(scratch.name)
    for _ in range(20):  # a process that forks during the search is found in a later round
        found = False
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if str(scratch) in process.environ().values():
                    process.kill()
                    found = True
        if not found:
            break
        time.sleep(0.005)
    end_group(scratch.name)
    remove(str(scratch))


def _is_unlocked(folder: Path) -> bool:
    """Return whether the supervisor of a folder has ended; False for folders of other users."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
