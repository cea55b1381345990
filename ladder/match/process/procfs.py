"""Facts about a tree of processes, from /proc and the file system.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import os

PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
TICKS_S = os.sysconf("SC_CLK_TCK")


def descendants(root: int, enough: int = 2**30) -> list[int]:
    """Process ids below `root`, parents first; what forks or ends meanwhile may be missed.

    Stops looking once there are more than `enough`: a process that multiplies leaves no time to
    count it.
    """
    found: list[int] = []
    waiting = [root]
    while waiting and len(found) <= enough:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def children(pid: int) -> list[int]:
    """Process ids of the children of a process; empty if it has ended."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, read(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass
    return found


def read(path: str) -> bytes:
    """The beginning of a small file of /proc."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 16384)
    finally:
        os.close(descriptor)


def stat_fields(folder: str) -> list[bytes]:
    """Return the fields of `stat` behind the name, the state first (proc(5)).

    Args:
        folder: of a process or thread in /proc.

    Raises:
        OSError: it has ended.

    """
    return read(f"{folder}/stat").rpartition(b")")[2].split()


def resident_kb(pids: list[int]) -> int:
    """Resident memory of some processes in KiB; pages that they share count for each."""
    total = 0
    for pid in pids:
        try:
            total += int(read(f"/proc/{pid}/statm").split()[1]) * PAGE_KB
        except (OSError, IndexError):
            continue
    return total


def proportional_kb(pids: list[int]) -> tuple[int, int]:
    """Resident memory in KiB with shared pages divided, and the part of it that is shared memory.

    Takes milliseconds per GiB.
    """
    total = shared = 0
    for pid in pids:
        try:
            rollup = read(f"/proc/{pid}/smaps_rollup")
            total += int(rollup.split(b"\nPss:")[1].split()[0])
            shared += int(rollup.split(b"\nPss_Shmem:")[1].split()[0])
        except (OSError, IndexError):
            total += resident_kb([pid])
    return total, shared


def written_kb(pids: list[int]) -> int:
    """Data that some processes have written to disk so far, in KiB."""
    total = 0
    for pid in pids:
        try:
            total += int(read(f"/proc/{pid}/io").split(b"\nwrite_bytes:")[1].split()[0]) // 1024
        except (OSError, IndexError):
            continue
    return total


def disk_kb(folder: str, limit_kb: int) -> int:
    """Disk used below a folder in KiB, an entry 1 at least, counted until over the limit."""
    total = 0
    waiting = [folder]
    while waiting and total <= limit_kb:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    total += 1 + entry.stat(follow_symlinks=False).st_blocks // 2
                    if total > limit_kb:
                        break
        except OSError:
            continue
    return total


def cpu_ticks(pids: list[int]) -> int:
    """CPU time of some processes and of the children that they have waited for, in clock ticks."""
    return sum(sum(_cpu_fields(pid)) for pid in pids)


def waited_ns(pids: list[int]) -> int:
    """CPU time of the ended children that some processes have waited for, in nanoseconds.

    The kernel tells it in ticks of 10 ms.
    """
    ticks = sum(sum(_cpu_fields(pid)[2:]) for pid in pids)
    return ticks * 1_000_000_000 // TICKS_S


def _cpu_fields(pid: int) -> list[int]:
    """A process's utime, stime, cutime and cstime in clock ticks; none when it has ended."""
    try:
        return list(map(int, stat_fields(f"/proc/{pid}")[11:15]))
    except (OSError, IndexError):
        return []


def cpu_clock(pid: int) -> int:
    """The clock of a process's CPU time, for `time.clock_gettime_ns`; what clock_getcpuclockid
    gives: the number's complement over the three bits that mean "scheduled time of a process"."""
    return (~pid << 3) | 2
