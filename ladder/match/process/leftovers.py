"""Leftovers: processes and folders of bots whose harness and supervisor were both killed.

The name of a scratch folder tells the process id of its harness, and a supervisor locks its
bot's folder for as long as it lives: the kernel frees that lock however it ends. So a folder whose
harness is no more and whose lock can be had is nobody's. The same holds for control groups, which
bear the name of the scratch folder.
"""

import contextlib
import fcntl
import os
import re
import tempfile
from pathlib import Path

from ladder.match.process.cgroups import Place, end_group
from ladder.match.process.supervisor import PATIENCE_S, remove
from ladder.match.process.supervisor_client import kill_by_home, prepare_group_place

NAME = re.compile(r"ladder-(\d+)-[0-9a-f]{16}")
"""Of a scratch folder: the process id of its harness, and a random part."""


def find_leftovers(place: Path | None = None) -> list[Path]:
    """The scratch folders, or control groups, of this user that no harness or supervisor holds."""
    folder = Path(tempfile.gettempdir()) if place is None else place
    found = []
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            name = NAME.fullmatch(entry.name)
            if name is not None and _is_ours(entry) and _is_free(entry, int(name[1])):
                found.append(Path(entry.path))
    return sorted(found)


def clear_leftovers(place: Path | None = None, groups: Place | None = None) -> int:
    """End what former runs have left, and remove its folders; return how many these were.

    What is left is found by its control group, or by a scratch folder that it has as its HOME.

    Args:
        place: where scratch folders are made; None: where this process makes them.
        groups: where control groups are made; None: where this process makes them.

    """
    groups = prepare_group_place() if groups is None else groups
    for group in [] if groups is None else find_leftovers(Path(groups.folder)):
        end_group(str(group), PATIENCE_S)
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
