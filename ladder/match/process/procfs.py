"""Readings of /proc about processes and their descendants.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import os

PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
TICKS_S = os.sysconf("SC_CLK_TCK")


STATE, CUTIME, CSTIME = 0, 13, 14
"""Indices in the result of `stat_fields`; the index in proc(5) is larger by 3."""


def descendants(root: int, enough: int = 2**30) -> list[int]:
    """Return the process ids below `root`, parents first; may miss processes started meanwhile.

    Stops once there are more than `enough`, so that a fork bomb does not keep the caller busy.
    """
    found: list[int] = []
    waiting = [root]
    while waiting and len(found) <= enough:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def children(pid: int) -> list[int]:
    """Return the process ids of a process's children; empty if it has ended."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass
    return found


def read(path: str) -> bytes:
    """Return the beginning of a small file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 16384)
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


def resident_kb(pids: list[int]) -> int:
    """Return the resident memory of processes in KiB; shared pages count for each of them."""
    total = 0
    for pid in pids:
        try:
            total += int(read(f"/proc/{pid}/statm").split()[1]) * PAGE_KB
        except (OSError, IndexError):
            continue
    return total


def proportional_kb(pids: list[int]) -> int:
    """Return the resident memory of processes in KiB, with shared pages divided.

    Takes milliseconds per GiB.
    """
    total = 0
    for pid in pids:
        try:
            total += int(read(f"/proc/{pid}/smaps_rollup").split(b"\nPss:")[1].split()[0])
        except (OSError, IndexError):
            total += resident_kb([pid])
    return total


def reaped_ns(pids: list[int]) -> int:
    """Return the CPU time of processes' reaped children, in nanoseconds with a step of 10 ms."""
    ticks = 0
    for pid in pids:
        try:
            ticks += sum(map(int, stat_fields(f"/proc/{pid}")[CUTIME : CSTIME + 1]))
        except OSError:
            continue
    return ticks * 1_000_000_000 // TICKS_S


def cpu_clock_id(pid: int) -> int:
    """Return the id of a process's CPU clock for `time.clock_gettime_ns`, as
    clock_getcpuclockid(3).

    It is the complement of the process id, and 2 ("scheduled time of a process") in the last three
    bits: process 5 has clock -46.
    """
    return (~pid << 3) | 2
