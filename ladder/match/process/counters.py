"""Readings of the kernel's counters of a bot, of the harness and of the machine's host."""

import os
from functools import cache

from ladder.match.process.lateness import Counters
from ladder.match.process.process_tree import ProcessTree
from ladder.match.process.procfs import STATE, TICKS_S, read, stat_fields

NS_PER_TICK = 1_000_000_000 // TICKS_S


def read_counters(tree: ProcessTree) -> Counters:
    """Read the counters; takes about 50 us for a bot of one process."""
    pids = tree.pids()
    waits = {}
    for thread in _threads(pids):
        times = _read_times(thread)
        if times is not None:
            waits[thread] = times[1]
    own = _read_times("/proc/thread-self")
    return Counters(tree.used_by_ns(pids), waits, None if own is None else own[1], _stolen_ns())


def counts_waits() -> bool:
    """Return whether this kernel counts how long threads wait for a processor."""
    return _read_times("/proc/thread-self") is not None


class QueueWatch:
    """Tells a thread that waits for a processor from one that runs, by repeated readings.

    Both are in the same state (R). But one that runs has used time since the reading before, as
    soon as the kernel's clock has ticked (1 to 10 ms).
    """

    def __init__(self, tree: ProcessTree) -> None:
        self._tree = tree
        self._before: dict[str, int] | None = None

    def is_queued(self) -> bool:
        """Return whether a thread may have waited ever since the last call."""
        found = {}
        for thread in _threads(self._tree.pids()):
            times = _read_times(thread) if _is_runnable(thread) else None
            if times is not None:
                found[thread] = times[0]
        before, self._before = self._before, found
        if before is None:
            return bool(found)
        return any(before.get(thread) == cpu_ns for thread, cpu_ns in found.items())


def _threads(pids: list[int]) -> list[str]:
    """Return the folders in /proc of all threads of processes."""
    found = []
    for pid in pids:
        folder = f"/proc/{pid}/task"
        try:
            found += [f"{folder}/{thread}" for thread in os.listdir(folder)]
        except OSError:  # it has ended
            continue
    return found


def _read_times(thread: str) -> tuple[int, int] | None:
    """Return a thread's time on a processor and its wait for one; None if they are not known."""
    try:
        cpu, wait, _ = read(f"{thread}/schedstat").split()
    except (OSError, ValueError):  # it has ended, or the kernel has no such counters
        return None
    return int(cpu), int(wait)


def _is_runnable(thread: str) -> bool:
    try:
        return stat_fields(thread)[STATE] == b"R"
    except OSError:  # it has ended
        return False


def _stolen_ns() -> int:
    """Return the time that the host has taken from each of this process's processors, on average.

    In steps of 10 ms; 0 on a machine that is not virtual.
    """
    if not _is_guest():
        return 0
    cpus = os.sched_getaffinity(0)
    stolen = 0
    for line in read("/proc/stat").splitlines()[1:]:
        words = line.split()
        if not words[0].startswith(b"cpu"):
            break
        if int(words[0][3:]) in cpus:
            stolen += int(words[8])
    return stolen * NS_PER_TICK // len(cpus)


@cache
def _is_guest() -> bool:
    """Return whether this may be a virtual machine; others have no stolen time to read."""
    try:
        with open("/proc/cpuinfo", "rb") as known:
            flags = next((line for line in known if line.startswith(b"flags")), None)
    except OSError:
        return True
    return flags is None or b" hypervisor" in flags  # only x86 has such flags
