"""The kernel's counters of a bot's threads, of the harness and of the host, read from /proc."""

import os
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from time import perf_counter_ns
from typing import NamedTuple

from ladder.match.process.process_tree import ProcessTree
from ladder.match.process.procfs import TICKS_S, read, stat_fields

NS_PER_TICK = 1_000_000_000 // TICKS_S


class ThreadTimes(NamedTuple):
    """What the kernel knows about one thread, in nanoseconds."""

    cpu_ns: int
    wait_ns: int
    """How long it has waited for a processor; a wait counts when it ends."""
    is_runnable: bool = False
    """Whether it runs or waits for a processor now; False where that was not read."""


NO_TIME = ThreadTimes(0, 0)
"""The times of a thread before it begins."""


class Counters(NamedTuple):
    """The kernel's counters at one moment, in nanoseconds."""

    cpu_ns: int
    """Processor time of all of the bot's processes, ended children included."""
    threads: Mapping[str, ThreadTimes]
    """By the folder of each thread of the bot."""
    harness_wait_ns: int | None
    """How long the harness's thread has waited; None if this kernel does not count waits."""
    stolen_ns: int
    """Time that the host of this virtual machine has taken from the harness's processors."""


def read_counters(tree: ProcessTree, stolen_ns: int, *, states: bool = False) -> Counters:
    """Read the counters; takes about 60 us for a bot of one process.

    Args:
        tree: the bot's processes.
        stolen_ns: the time that the host has taken so far.
        states: whether to read which threads are runnable.

    """
    processes = tree.threads()
    threads = {
        name: times
        for names in processes.values()
        for name in names
        if (times := _read_times(name, state=states)) is not None
    }
    own = _read_times("/proc/thread-self")
    return Counters(
        tree.used_by_ns(processes), threads, None if own is None else own.wait_ns, stolen_ns
    )


def counts_waits() -> bool:
    """Return whether this kernel counts how long threads wait for a processor."""
    return _read_times("/proc/thread-self") is not None


def _read_times(thread: str, *, state: bool = False) -> ThreadTimes | None:
    """Return a thread's time on a processor and its wait for one; None if they are not known."""
    try:
        cpu, wait, _ = read(f"{thread}/schedstat").split()
    except (OSError, ValueError):  # it has ended, or the kernel has no such counters
        return None
    return ThreadTimes(int(cpu), int(wait), state and _is_runnable(thread))


def _is_runnable(thread: str) -> bool:
    try:
        return stat_fields(thread)[0] == b"R"
    except OSError:  # it has ended
        return False


def stolen_ns() -> int:
    """Return the time that the host has taken from each of this process's processors, on average.

    In steps of 10 ms; 0 on a machine that is not virtual.
    """
    if not _is_guest():
        return 0
    return mean_stolen_ns("/proc/stat", os.sched_getaffinity(0))


def stolen_in_tick_ns() -> int:
    """Return the stolen time, read only once in each step of its counter, for fast answers."""
    return _stolen_in_tick_ns(perf_counter_ns() // NS_PER_TICK)


@lru_cache(maxsize=1)
def _stolen_in_tick_ns(tick: int) -> int:  # noqa: ARG001 - the key of the cache
    return stolen_ns()


def mean_stolen_ns(path: str, cpus: Collection[int]) -> int:
    """Return the mean stolen time of some processors, which a file like /proc/stat counts."""
    stolen = 0
    for line in read(path).splitlines()[1:]:
        words = line.split()
        if not words[0].startswith(b"cpu"):
            break
        if int(words[0][3:]) in cpus:
            stolen += int(words[8])
    return stolen * NS_PER_TICK // len(cpus)


@cache
def _is_guest() -> bool:
    """Return whether this may be a virtual machine; others have no stolen time to read."""
    cpus = read("/proc/cpuinfo")
    return b" hypervisor" in cpus or b"\nflags" not in cpus  # only x86 has such flags
