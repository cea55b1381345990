"""Evidence about a missed deadline: whether the bot was slow, or the machine did not let it run.

For each thread the kernel counts the nanoseconds on a processor and the nanoseconds for which it
was runnable but waited for one (/proc/PID/task/TID/schedstat, first two fields). A thread that
sleeps, blocks or hangs increases neither, so only a bot that wanted to run can be excused.

The kernel adds a wait when it ends, and on a crowded processor the current wait may be as long as
the whole delay. So a thread also counts as waiting if it is runnable now and has never blocked
since the question (voluntary_ctxt_switches in its status): it then waited whenever it did not run.

The host of a virtual machine may take a processor away, for 100 ms at once where a quota is used
up. The counters of threads do not show this; the processor's own counter shows it as stolen time
(/proc/stat, in ticks of 10 ms). No process can cause this on the one processor that it shares with
us, so it counts no matter how much processor time the bot has used.

A bot can cause its own wait: by helper processes that keep its processor busy, by giving up its
scheduling rank (a higher nice value, another policy, a move to another processor), or by sleeping
in a memory call that it has arranged (userfaultfd). So a wait alone excuses nothing. The processor
time of all processes below its supervisor counts against it, a thread with a lowered rank has no
wait, and no wait counts for more than processes outside of the bot's tree have used of its
processor meanwhile (`ladder.match.process.outside`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ladder.match.process.outside import CpuTimes, outside_us
from ladder.match.process.procfs import (
    PROCESSOR,
    STATE,
    TICKS_S,
    descendants,
    parse_stat,
    read,
    reaped_ns,
)

PAGE_FAULT = -1
"""Stands for the system call of a thread that sleeps in a page fault."""
MEMORY_CALLS = {
    "x86_64": {PAGE_FAULT, 9, 10, 11, 12, 25, 28},
    "aarch64": {PAGE_FAULT, 222, 226, 215, 214, 216, 233},
}.get(os.uname().machine, {PAGE_FAULT})
"""The numbers of mmap, mprotect, munmap, brk, mremap and madvise."""
LOCK_WAITS = {
    b"vm_mmap_pgoff", b"ksys_mmap_pgoff", b"__vm_munmap", b"__do_sys_brk", b"__x64_sys_brk",
    b"__arm64_sys_brk", b"do_mprotect_pkey", b"do_mprotect_pkey.constprop.0", b"do_madvise",
    b"__do_sys_mremap", b"__x64_sys_mremap", b"__arm64_sys_mremap", b"lock_mm_and_find_vma",
    b"do_user_addr_fault", b"exc_page_fault", b"do_page_fault", b"do_madvise.part.0",
    b"madvise_lock", b"folio_wait_bit_common",
}  # fmt: skip
"""Kernel functions (wchan) in which a thread waits for the lock on its memory or for a page from
disk. Elsewhere in the same system calls it may wait for a page that it has to provide itself
(userfaultfd)."""
GRACE_S = 0.01
"""How long to wait until a queued thread runs, so that the kernel counts its current wait."""


class Stall(NamedTuple):
    """The evidence of a missed deadline: processor time and waits since the question."""

    elapsed_us: int
    """Time from the question to the end of the wait for its answer."""
    bot_wait_us: int
    """Wait of the bot's longest-waiting thread for a processor, at most `elapsed_us - used_us`: a
    bot that used one processor all the time cannot complain. The bot may have caused it."""
    harness_wait_us: int
    """Wait of the harness for a processor, at most `elapsed_us - used_us`. The bot may have caused
    it."""
    used_us: int
    """Processor time of all processes of the bot, as far as the kernel counts it."""
    stolen_us: int = 0
    """Time that the host of this virtual machine took from a processor of the bot; such time may
    also be part of the waits."""
    outside_us: int = 0
    """Processor time of processes outside of the bot's tree on the bot's processors; see
    `add_outside_use`."""
    stopped_us: int = 0
    """Time after the deadline in which the harness neither ran nor waited for a processor, because
    it or the whole machine was stopped; at most `elapsed_us - used_us`."""

    cpus: frozenset[int] = frozenset()
    """Processors of the bot's threads that keep their scheduling rank."""

    @property
    def waited_us(self) -> int:
        """Sum of the waits of the bot and of the harness, whatever their cause."""
        return self.bot_wait_us + self.harness_wait_us

    def excusable_us(self, contended_us: int = 0) -> int:
        """Return the part of the elapsed time that the bot cannot have caused.

        Args:
            contended_us: another measurement of what other programs used of the processor in the
                elapsed time; the larger one of this and `outside_us` counts.

        """
        waited_us = min(self.waited_us, max(self.outside_us, contended_us))
        return max(self.stolen_us, self.stopped_us + waited_us)


class ThreadTimes(NamedTuple):
    """The times of a thread on a processor, and runnable but without one."""

    cpu_ns: int
    wait_ns: int


class ThreadReader:
    """The readings of /proc about threads, each named by its folder."""

    def read(self, path: str) -> bytes:
        """Return the beginning of a file. Raises OSError."""
        return read(path)

    def list_threads(self, pids: list[int]) -> list[str]:
        """Return the folders of all threads of processes."""
        found = []
        for pid in pids:
            folder = f"/proc/{pid}/task"
            try:
                found += [f"{folder}/{thread}" for thread in os.listdir(folder)]
            except OSError:
                continue
        return found

    def is_guest(self) -> bool:
        """Return whether this may be a virtual machine; others have no stolen time to read."""
        return _is_guest()

    def read_times(self, thread: str) -> ThreadTimes | None:
        """Return the times of a thread, or None if they are not available."""
        try:
            cpu, wait, _ = self.read(f"{thread}/schedstat").split()
        except (OSError, ValueError):  # it has ended, or the kernel has no such counters
            return None
        return ThreadTimes(int(cpu), int(wait))

    def read_state(self, thread: str) -> bytes:
        """Return the letter for a thread's state (proc(5)); empty if it has ended."""
        fields = self._stat(thread)
        return fields[STATE] if fields else b""

    def read_last_cpu(self, thread: str) -> int | None:
        """Return the processor on which a thread ran last, or None if it has ended."""
        fields = self._stat(thread)
        return int(fields[PROCESSOR]) if fields else None

    def _stat(self, thread: str) -> list[bytes]:
        try:
            return parse_stat(self.read(f"{thread}/stat"))
        except OSError:  # it has ended
            return []

    def waits_for_memory(self, thread: str) -> bool:
        """Return whether a thread waits for its memory lock or a page from disk.

        Only in a single-threaded process can this not be its own doing.
        """
        try:
            call = int(self.read(f"{thread}/syscall").split()[0])
            return call in MEMORY_CALLS and self.read(f"{thread}/wchan") in LOCK_WAITS
        except (OSError, ValueError, IndexError):  # it runs or has ended, or access is denied
            return False

    def count_blocks(self, thread: str) -> int | None:
        """Return how often a process's first thread has blocked; None for other threads."""
        _, _, pid, _, number = thread.split("/")
        if pid != number:
            return None
        try:
            status = self.read(f"{thread}/status")
            return int(status.split(b"\nvoluntary_ctxt_switches:")[1].split()[0])
        except (OSError, IndexError):
            return None

    def read_stolen_us(self) -> dict[int, int]:
        """Return the time that the host has taken from each processor, in microseconds.

        In steps of 10 ms. Empty on a machine that is not virtual.
        """
        if not self.is_guest():
            return {}
        found = {}
        for line in self.read("/proc/stat").splitlines():
            words = line.split()
            if words[0] != b"cpu":
                if not words[0].startswith(b"cpu"):
                    break
                found[int(words[0][3:])] = int(words[8]) * 1_000_000 // TICKS_S
        return found


READER = ThreadReader()
NO_TIMES = ThreadTimes(0, 0)


class Snapshot(NamedTuple):
    """The kernel's counters at one moment; takes about 50 us for a simple bot."""

    taken: float
    threads: dict[str, ThreadTimes]
    harness: ThreadTimes
    blocked: dict[str, int]
    """How often each process's first thread has blocked so far."""
    ended_ns: int
    """Processor time of ended processes; 0 if it was not requested."""
    stolen_us: dict[int, int]
    """By processor: time that the host of this virtual machine has taken since its start."""
    outside: Mapping[int, CpuTimes]
    """The clocks of all processes by id."""


class _Observation(NamedTuple):
    """The state of a bot's threads after a missed deadline."""

    runnable: frozenset[str]
    """The threads that could run, just before the counters were read."""
    waits_for_memory: frozenset[str]
    """The bot's thread, if it has only one and that waited for its memory then."""
    counters: Snapshot


def snapshot(
    supervisor: int | None,
    *,
    ended: bool,
    outside: Mapping[int, CpuTimes] | None = None,
    reader: ThreadReader = READER,
) -> Snapshot:
    """Read the counters of the calling thread and of all threads below a bot's supervisor.

    Args:
        supervisor: its process id, or None if the bot has not been started.
        ended: whether to count ended processes, which takes one file for each living process.
        outside: the clocks of all processes, from `OutsideClocks`.
        reader: reads /proc.

    """
    pids = [] if supervisor is None else descendants(supervisor)
    paths = reader.list_threads(pids)
    threads = {path: times for path in paths if (times := reader.read_times(path))}
    harness = reader.read_times("/proc/thread-self") or NO_TIMES
    blocked = {path: count for path in threads if (count := reader.count_blocks(path)) is not None}
    ended_ns = reaped_ns([supervisor, *pids]) if ended and supervisor is not None else 0
    return Snapshot(
        time.monotonic(),
        threads,
        harness,
        blocked,
        ended_ns,
        reader.read_stolen_us(),
        outside or {},
    )


def measure_stall(
    supervisor: int, before: Snapshot, oversleep_us: int, reader: ThreadReader = READER
) -> Stall:
    """Measure what happened since a snapshot; to be called before the bot is killed.

    Takes up to GRACE_S if a thread is queued for a processor, for the kernel counts its wait only
    when it runs.

    Args:
        supervisor: process id of the bot's supervisor.
        before: the snapshot before the question.
        oversleep_us: how long after the deadline the harness woke up.
        reader: reads /proc.

    """
    missed = time.monotonic()
    elapsed_ns = int((missed - before.taken) * 1e9)
    now, only_waited = _read_counters(supervisor, before, missed + GRACE_S, reader)
    ranked = [path for path in now.threads if _keeps_rank(path)]
    waits = [
        now.threads[path].wait_ns - before.threads.get(path, NO_TIMES).wait_ns for path in ranked
    ]
    cpu_ns = (
        now.ended_ns
        - before.ended_ns
        + sum(
            times.cpu_ns - before.threads.get(path, NO_TIMES).cpu_ns
            for path, times in now.threads.items()
        )
    )
    longest_ns = max(waits, default=0) - int((now.taken - missed) * 1e9)
    if only_waited:
        longest_ns = elapsed_ns
    harness_wait_us = (now.harness.wait_ns - before.harness.wait_ns) // 1000
    idle_us = max(0, (elapsed_ns - cpu_ns) // 1000)
    cpus = frozenset(cpu for path in ranked if (cpu := reader.read_last_cpu(path)) is not None)
    stolen_us = [
        us - before.stolen_us.get(cpu, 0) for cpu, us in now.stolen_us.items() if cpu in cpus
    ]
    return Stall(
        elapsed_us=elapsed_ns // 1000,
        bot_wait_us=starved_ns(longest_ns, cpu_ns, elapsed_ns) // 1000,
        harness_wait_us=min(harness_wait_us, idle_us),
        used_us=cpu_ns // 1000,
        stolen_us=max(stolen_us, default=0),
        stopped_us=min(max(0, oversleep_us - harness_wait_us), idle_us),
        cpus=cpus,
    )


def _read_counters(
    supervisor: int, before: Snapshot, deadline: float, reader: ThreadReader
) -> tuple[Snapshot, bool]:
    """Read a bot's counters once they hold its current wait, or at the deadline.

    Returns:
        The counters, and whether a process's first thread only ran and waited since `before`.

    """
    observed = _observe(supervisor, reader)
    only_waited = _only_waited(before, observed)
    while not only_waited and time.monotonic() < deadline and observed.runnable:
        time.sleep(0.001)
        former, observed = observed, _observe(supervisor, reader)
        if former.counters.threads != observed.counters.threads:  # it ran: its wait is counted
            break
    return observed.counters, only_waited


def add_outside_use(stall: Stall, supervisor: int, before: Snapshot) -> Stall:
    """Return a stall with the use of processes outside of the bot's tree; also after its end."""
    if not before.outside:
        return stall
    return stall._replace(outside_us=outside_us(before.outside, supervisor, stall.cpus))


def describe_stall(stall: Stall) -> str:
    """Describe how a late bot spent its time.

    Waits of bot and referee at the same time count once. The time of other programs is an estimate,
    so it is at most what the bot left of its processors.
    """
    left_us = max(1, len(stall.cpus)) * stall.elapsed_us - stall.used_us
    waited_us = min(stall.elapsed_us, max(stall.waited_us, stall.stolen_us))
    return (
        f"of {stall.elapsed_us / 1000:.0f} ms it computed for {stall.used_us / 1000:.0f}; it or "
        f"the referee waited for {waited_us / 1000:.0f}, other programs ran for "
        f"{max(0, min(stall.outside_us, left_us)) / 1000:.0f}"
    )


def starved_ns(longest_wait_ns: int, cpu_ns: int, elapsed_ns: int) -> int:
    """Return how long a bot lacked the one processor that it is entitled to.

    Its threads may wait for each other: with 100 ms elapsed, two threads that computed for 90 ms
    together lacked at most 10 ms, however long one of them waited.
    """
    return max(0, min(longest_wait_ns, elapsed_ns - cpu_ns))


def measure_start_delay_us(supervisor: int, before: Snapshot, contended_us: int) -> int:
    """Return how long the machine delayed the start of a bot and its supervisor.

    Args:
        supervisor: process id of the bot's supervisor.
        before: the snapshot before its start.
        contended_us: an earlier measurement of what other programs use of the processor in the
            same time.

    """
    stall = add_outside_use(measure_stall(supervisor, before, 0), supervisor, before)
    times = READER.read_times(f"/proc/{supervisor}/task/{supervisor}")
    if times is not None:
        stall = stall._replace(harness_wait_us=stall.harness_wait_us + times.wait_ns // 1000)
    # Other programs may cause both waits of the sum in full: the supervisor's, then the bot's.
    return stall.excusable_us(2 * max(stall.outside_us, contended_us))


def _observe(supervisor: int, reader: ThreadReader) -> _Observation:
    states = {
        path: reader.read_state(path) for path in reader.list_threads(descendants(supervisor))
    }
    runnable = frozenset(path for path, state in states.items() if state == b"R")
    waiting = [path for path in states if states[path] == b"D" and reader.waits_for_memory(path)]
    return _Observation(
        runnable,
        frozenset(waiting if len(states) == 1 else ()),
        snapshot(supervisor, ended=True, reader=reader),
    )


def _only_waited(before: Snapshot, observed: _Observation) -> bool:
    """Return whether a process's first thread only ran and waited since the snapshot."""
    blocks = {
        path: count - before.blocked[path]
        for path, count in observed.counters.blocked.items()
        if path in before.blocked
    }
    return any(
        (
            (path in observed.runnable and count == 0)
            # The current wait for its memory counts as one block.
            or (path in observed.waits_for_memory and count <= 1)
        )
        and _keeps_rank(path)
        for path, count in blocks.items()
    )


@cache
def _is_guest() -> bool:
    try:
        with open("/proc/cpuinfo", "rb") as known:
            flags = next((line for line in known if line.startswith(b"flags")), None)
    except OSError:
        return True
    return flags is None or b" hypervisor" in flags  # only x86 has such flags


def _keeps_rank(path: str) -> bool:
    """Return whether a thread still has the scheduling rank that it inherited from the harness."""
    _, _, process, _, thread = path.split("/")
    number = int(thread)
    try:
        return (
            os.getpriority(os.PRIO_PROCESS, number) <= os.getpriority(os.PRIO_PROCESS, 0)
            and os.sched_getscheduler(number) == os.sched_getscheduler(0)
            and os.sched_getaffinity(number) >= os.sched_getaffinity(0)
            and _group_nice(process) <= _group_nice("self")
        )
    except OSError:  # it has ended meanwhile
        return False


def _group_nice(process: str) -> int:
    """Return the nice value of a process's session (autogroup); 0 without such groups."""
    try:
        return int(read(f"/proc/{process}/autogroup").split()[-1])
    except (OSError, ValueError, IndexError):
        return 0
