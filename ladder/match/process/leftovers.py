"""Leftovers: processes and folders of bots whose harness and supervisor were both killed.

The name of a scratch folder contains the process id of its harness, and a supervisor locks its
bot's folder until it ends, however it ends. So a folder is a leftover if its harness has ended and
its lock is free. The same holds for control groups, which have the name of the scratch folder.
"""

import contextlib
import fcntl
import os
import re
import tempfile
import time
from pathlib import Path

import psutil

from ladder.match.process.cgroups import cached_parent_group
from ladder.match.process.limits import end_group
from ladder.match.process.supervisor import PATIENCE_S, remove

NAME = re.compile(r"ladder-(\d+)-[0-9a-f]{16}")
"""Name of a scratch folder: the process id of its harness, and a random part."""


def find_leftovers(folder: Path | None = None) -> list[Path]:
    """Return this user's scratch folders, or control groups, without harness and supervisor."""
    folder = Path(tempfile.gettempdir()) if folder is None else folder
    found = []
    for path in sorted(folder.glob("ladder-*")):
        name = NAME.fullmatch(path.name)
        if name is not None and not psutil.pid_exists(int(name[1])) and _is_unlocked(path):
            found.append(path)
    return found


def clear_leftovers(folder: Path | None = None) -> int:
    """Kill leftover processes, remove their folders, and return how many folders there were.

    The processes are found by their control group, or by a scratch folder as their HOME.

    Args:
        folder: the folder of scratch folders; None: that of this process.

    """
    parent = cached_parent_group()
    for group in [] if parent is None else find_leftovers(parent):
        end_group(str(group), PATIENCE_S)
    found = find_leftovers(folder)
    for scratch in found:
        _kill_by_home(str(scratch))
        remove(str(scratch))
    return len(found)


def _kill_by_home(scratch: str) -> None:
    """Kill every process whose HOME is this scratch folder.

    A process that changed its environment escapes.
    """
    for _ in range(20):  # a process that forks during the search is found in a later round
        found = False
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("HOME") == scratch:
                    process.kill()
                    found = True
        if not found:
            return
        time.sleep(0.005)


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
