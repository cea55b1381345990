"""Readings of /proc about processes and their descendants.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import os

CHUNK = 16384
TICKS_S = os.sysconf("SC_CLK_TCK")


def descendants(root: int, enough: int = 2**30) -> list[int]:
    """Return the process ids below `root`, parents first; may miss processes started meanwhile.

    Stops once there are more than `enough`, so that a fork bomb does not keep the caller busy.
    """
    return list(threads_from(root, enough))[1:]


def threads_from(root: int, enough: int = 2**30) -> dict[int, list[str]]:
    """Return the folders of threads by process, of `root` and those below it (`descendants`)."""
    found: dict[int, list[str]] = {root: []}
    waiting = [root]
    while waiting and len(found) <= enough + 1:
        pid = waiting.pop()
        task = f"/proc/{pid}/task"
        try:
            for thread in os.listdir(task):
                folder = f"{task}/{thread}"
                found[pid].append(folder)
                for child in map(int, read(f"{folder}/children").split()):
                    found[child] = []
                    waiting.append(child)
        except OSError:  # it has ended
            continue
    return found


def read(path: str) -> bytes:
    """Return the content of a file, most of which are small."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = more = os.read(descriptor, CHUNK)
        while len(more) == CHUNK:  # such as /proc/stat from 213 processors on
            more = os.read(descriptor, CHUNK)
            data += more
        return data
    finally:
        os.close(descriptor)


def stat_fields(folder: str) -> list[bytes]:
    """Return the fields of `stat` after the name, beginning with the state (proc(5)).

    Args:
        folder: the folder of a process or thread in /proc.

    Raises:
        OSError: it has ended.

    """
    return read(f"{folder}/stat").rpartition(b")")[2].split()  # the name may contain spaces
