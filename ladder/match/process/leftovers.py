"""Leftovers: processes and folders of bots whose harness and supervisor were both killed.

The name of a scratch folder tells the process id of its harness, and a supervisor locks its
bot's folder for as long as it lives: the kernel frees that lock however it ends. So a folder whose
harness is no more and whose lock can be had is nobody's.
"""

import contextlib
import fcntl
import os
import re
import tempfile
from pathlib import Path

from ladder.match.process.supervisor import remove
from ladder.match.process.supervisor_client import kill_by_home

NAME = re.compile(r"ladder-(\d+)-[0-9a-f]{16}")
"""Of a scratch folder: the process id of its harness, and a random part."""


def find_leftovers(place: Path | None = None) -> list[Path]:
    """The scratch folders of this user that neither a harness nor a supervisor holds."""
    folder = Path(tempfile.gettempdir()) if place is None else place
    found = []
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            name = NAME.fullmatch(entry.name)
            if name is not None and _is_ours(entry) and _is_free(entry, int(name[1])):
                found.append(Path(entry.path))
    return sorted(found)


def clear_leftovers(place: Path | None = None) -> int:
    """End what still runs with such a folder as its HOME, and remove the folder; how many."""
    found = find_leftovers(place)
    for folder in found:
        kill_by_home(str(folder))
        remove(str(folder))
    return len(found)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False) and (
            entry.stat(follow_symlinks=False).st_uid == os.geteuid()
        )
    except OSError:  # removed meanwhile
        return False


def _is_free(entry: os.DirEntry[str], harness: int) -> bool:
    """Whether its harness and its supervisor are gone."""
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
