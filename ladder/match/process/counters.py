"""Readings of the kernel's counters of a bot, of the harness and of the machine's host."""

import os
import re
import time
from functools import cache

from ladder.match.process.lateness import Counters
from ladder.match.process.process_tree import ProcessTree
from ladder.match.process.procfs import STATE, TICKS_S, read, stat_fields

EVER_NS = 10**15
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
    """Finds waits for a processor that still go on, by repeated readings.

    A thread that runs and one that waits are in the same state (R), and the kernel counts a wait
    when it ends. But a thread that runs has used time since the reading before, as soon as the
    kernel's clock has ticked (1 to 10 ms).
    """

    def __init__(self, tree: ProcessTree) -> None:
        self._tree = tree
        self._read_ns = 0
        self._before: dict[str, tuple[int, int, int]] = {}
        """The times of the threads that were runnable at the reading before, and how long each may
        have waited then without being counted."""

    def longest_wait_us(self) -> int:
        """Return the longest time for which a thread may wait now that is not counted yet.

        Example: 16 ms after the reading before, a runnable thread has used 1 ms and its counted
        wait has grown by 3 ms, so it may wait for 12 ms by now. If it waited at the reading before,
        these 3 ms may belong to the time before it, and it may wait for 15 ms. If it has used
        nothing, it may have waited since the question, which is more than any move takes.
        """
        now_ns = time.perf_counter_ns()
        since_ns = now_ns - self._read_ns if self._read_ns else EVER_NS
        found: dict[str, tuple[int, int, int]] = {}
        longest_ns = 0
        for thread in _threads(self._tree.pids()):
            times = _read_times(thread) if _is_runnable(thread) else None
            if times is None:
                continue
            cpu_ns, wait_ns, uncounted_ns = self._before.get(thread, (0, times[1], 0))
            if times[0] == cpu_ns:
                waits_ns = EVER_NS
            elif thread in self._before:
                counted_ns = max(0, times[1] - wait_ns - uncounted_ns)
                waits_ns = since_ns - (times[0] - cpu_ns) - counted_ns
            else:
                waits_ns = since_ns
            found[thread] = (*times, max(0, waits_ns))
            longest_ns = max(longest_ns, waits_ns)
        self._read_ns, self._before = now_ns, found
        return longest_ns // 1000


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
        flags = re.search(rb"(?m)^flags.*", read("/proc/cpuinfo"))
    except OSError:
        return True
    return flags is None or b" hypervisor" in flags[0]  # only x86 has such flags
