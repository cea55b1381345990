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
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            name = NAME.fullmatch(entry.name)
            if name is not None and _is_ours(entry) and _is_free(entry, int(name[1])):
                found.append(Path(entry.path))
    return sorted(found)


def clear_leftovers(folder: Path | None = None, parent: Path | None = None) -> int:
    """Kill leftover processes, remove their folders, and return how many folders there were.

    The processes are found by their control group, or by a scratch folder as their HOME.

    Args:
        folder: the folder of scratch folders; None: that of this process.
        parent: the parent of control groups; None: that of this process.

    """
    parent = cached_parent_group() if parent is None else parent
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


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and (
            entry.stat(follow_symlinks=False).st_uid == os.geteuid()
        )
    except OSError:  # removed meanwhile
        return False


def _is_free(entry: os.DirEntry[str], harness: int) -> bool:
    """Return whether harness and supervisor of a folder have ended."""
    try:
        if Path(f"/proc/{harness}").exists():
            return False
        descriptor = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
