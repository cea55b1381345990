"""Late moves: the part of a delay that the kernel's counters explain without the bot.

For each thread the kernel counts how long it was runnable but had no processor. A thread that
sleeps, blocks or hangs does not wait, so only a bot that wanted to run can be excused:

    explained = max(stolen, min(stopped + unread + longest wait of a thread of the bot,
                                elapsed - processor time of the bot))

*Stopped* is the time for which the harness overslept and did not wait for a processor: it or the
whole machine was stopped. *Unread* is its wait for a processor since it last looked and found no
answer; earlier waits delayed nothing. The second limit is what the bot's own threads and children
cannot claim: they cause each other's waits, and on a shared processor also those of the harness.
The host of a virtual machine takes time from any program, so stolen time is not limited.

Example: a bot has 100 ms and a margin of 50 ms, and its answer comes after 170 ms. It may be late
by 5 ms through its own fault (`OWN_SHARE` of the margin), for busy neighbours fill the caches as
well. So it is excused if 65 ms are explained.
"""

import os
import time
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ladder.match.process.process_tree import ProcessTree
from ladder.match.process.procfs import TICKS_S, read, stat_fields

OWN_SHARE = 0.1
"""Share of the margin that an excused bot may use itself."""
EVER_NS = 10**15
NS_PER_TICK = 1_000_000_000 // TICKS_S


class Counters(NamedTuple):
    """The kernel's counters at one moment, in nanoseconds."""

    cpu_ns: int
    """Processor time of all of the bot's processes, ended children included."""
    waits_ns: Mapping[str, int]
    """How long each thread of the bot has waited for a processor so far."""
    harness_wait_ns: int | None
    """The same of the harness's thread; None if this kernel does not count waits."""
    stolen_ns: int
    """Time that the host of this virtual machine has taken from the harness's processors."""


class Delay(NamedTuple):
    """What the counters show about a move since its question."""

    elapsed_us: int
    used_us: int
    """Processor time of the bot."""
    bot_wait_us: int
    """Longest wait of one of its threads for a processor."""
    harness_us: int
    """Delay by the harness: the time for which it was stopped, or left an answer unread."""
    stolen_us: int

    @property
    def explained_us(self) -> int:
        """The part of the elapsed time that the bot has not caused."""
        unused_us = max(0, self.elapsed_us - self.used_us)
        return max(self.stolen_us, min(unused_us, self.harness_us + self.bot_wait_us))

    def is_excused(self, budget_us: int, margin_us: int) -> bool:
        """Return whether the bot needed hardly more than its budget itself."""
        return self.elapsed_us - self.explained_us <= budget_us + OWN_SHARE * margin_us

    def __str__(self) -> str:
        """Describe how the time of the move was spent."""
        return (
            f"of {self.elapsed_us / 1000:.0f} ms it computed for {self.used_us / 1000:.0f}, and "
            f"{self.explained_us / 1000:.0f} are explained by waiting for a processor"
        )


def measure_delay(
    before: Counters,
    now: Counters,
    *,
    elapsed_us: int,
    overslept_us: int,
    unseen_us: int,
    queued_us: int,
) -> Delay:
    """Return what happened to a move between two readings of the counters.

    Args:
        before: the reading before the question.
        now: a later reading, before the bot is killed.
        elapsed_us: time since the question.
        overslept_us: how much later the harness woke up than it meant to. A wait for its processor
            is part of it.
        unseen_us: time since the harness last found that there was no answer.
        queued_us: how long a thread of the bot may by now have waited for a processor in a wait
            that goes on, which the kernel has not counted.

    """
    if before.harness_wait_ns is None or now.harness_wait_ns is None:
        return Delay(elapsed_us, max(0, now.cpu_ns - before.cpu_ns) // 1000, 0, 0, 0)
    waits = (wait - before.waits_ns.get(thread, 0) for thread, wait in now.waits_ns.items())
    harness_wait_us = (now.harness_wait_ns - before.harness_wait_ns) // 1000
    return Delay(
        elapsed_us,
        used_us=max(0, now.cpu_ns - before.cpu_ns) // 1000,
        bot_wait_us=max(waits, default=0) // 1000 + queued_us,
        harness_us=max(0, overslept_us - harness_wait_us) + min(harness_wait_us, unseen_us),
        stolen_us=(now.stolen_ns - before.stolen_ns) // 1000,
    )


def read_counters(tree: ProcessTree) -> Counters:
    """Read the counters; takes about 50 us for a bot of one process."""
    pids = tree.pids()
    times = {thread: _read_times(thread) for thread in _threads(pids)}
    waits = {thread: both[1] for thread, both in times.items() if both is not None}
    own = _read_times("/proc/thread-self")
    return Counters(tree.used_by_ns(pids), waits, None if own is None else own[1], _stolen_ns())


def counts_waits() -> bool:
    """Return whether this kernel counts how long threads wait for a processor."""
    return _read_times("/proc/thread-self") is not None


class DelayWatch:
    """Measures what delays the answer to a question."""

    def __init__(self, tree: ProcessTree) -> None:
        """Read the counters before the question."""
        self._tree = tree
        self._before = read_counters(tree)
        self._read_ns = 0
        self._runnable: dict[str, tuple[int, int, int]] = {}
        """The times of the threads that were runnable at the reading before, and how long each may
        have waited then without being counted."""

    def measure(self, elapsed_us: int, *, overslept_us: int, unseen_us: int | None) -> Delay:
        """Return what happened since the question (see `measure_delay`).

        Args:
            elapsed_us: time since the question.
            overslept_us: how much later the harness woke up than it meant to.
            unseen_us: time since the harness last found no answer; None if no answer has come.

        """
        queued_us = self._longest_wait_us() if unseen_us is None else 0
        return measure_delay(
            self._before,
            read_counters(self._tree),
            elapsed_us=elapsed_us,
            overslept_us=overslept_us,
            unseen_us=unseen_us or 0,
            queued_us=queued_us,
        )

    def _longest_wait_us(self) -> int:
        """Return the longest time for which a thread may wait now that is not counted yet.

        A thread that runs and one that waits are in the same state (R), and the kernel counts a
        wait when it ends. But a thread that runs has used time since the reading before, as soon as
        the kernel's clock has ticked (1 to 10 ms).

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
            cpu_ns, wait_ns, uncounted_ns = self._runnable.get(thread, (0, times[1], 0))
            if times[0] == cpu_ns:
                waits_ns = EVER_NS
            elif thread in self._runnable:
                counted_ns = max(0, times[1] - wait_ns - uncounted_ns)
                waits_ns = since_ns - (times[0] - cpu_ns) - counted_ns
            else:
                waits_ns = since_ns
            found[thread] = (*times, max(0, waits_ns))
            longest_ns = max(longest_ns, waits_ns)
        self._read_ns, self._runnable = now_ns, found
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
        return stat_fields(thread)[0] == b"R"
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
    cpus = read("/proc/cpuinfo")
    return b" hypervisor" in cpus or b"\nflags" not in cpus  # only x86 has such flags
