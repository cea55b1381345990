"""Was a late bot slow, or did the machine not let it run?

The kernel keeps for each thread the nanoseconds on a processor and the nanoseconds runnable but
waiting for one (/proc/PID/task/TID/schedstat, its first two fields). A thread that sleeps, blocks
or hangs collects neither, so only a bot that wanted to run can be excused.

A wait is booked when it ends, and on a crowded processor the present one may be as long as all that
the bot was late. So there is a second look: a thread that can run now, and that has given the
processor up of itself at no time since the question (voluntary_ctxt_switches in its status), has
waited whenever it did not run.

On a virtual machine its host may take a processor away, for 100 ms at once where a quota of it is
used up. Then nobody waits by the accounts of threads; the processor's own account has the time as
stolen (/proc/stat, in ticks of 10 ms), whoever would have run. No process can bring that about on
the one processor that it shares with us, so it counts without a look at what the bot has used.

A bot can make its own wait: by helpers that keep its processor busy, in sessions of their own or as
orphans, by giving its claim away (a higher nice value, another scheduling policy, a move to another
processor), or by sleeping in a call about memory that it has arranged (userfaultfd). So a wait is
only a claim. What all processes below its supervisor have used counts against it, a thread that
gave its claim away has none, and no claim counts for more than processes outside of the bot's tree
have used of its processor meanwhile (`ladder.match.process.outside`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ladder.match.process.outside import Clock, outside_us
from ladder.match.process.procfs import TICKS_S, descendants, read, stat_fields, waited_ns

PAGE_FAULT = -1
"""The number of no system call, of a thread that sleeps in one of its page faults."""
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
"""The functions of the kernel in which a thread waits for the lock on its memory, or for a page
from disk (wchan). Elsewhere in the same calls it may wait for a page that it has to provide itself
(userfaultfd)."""
GRACE_S = 0.01
"""How long to wait for a queued thread to run, so that the kernel books its present wait."""


class Stall(NamedTuple):
    """The evidence of a missed deadline: who ran and who waited since the question."""

    elapsed_us: int
    """From the question to the end of the wait."""
    bot_us: int
    """Runnable but not running: the longest-waiting thread, at most what the bot's processor time
    leaves of the elapsed time (a bot that got one processor's worth has no complaint). A claim: the
    bot may have made it."""
    harness_us: int
    """The harness's own wait for a processor; at most what the bot's processor time leaves of the
    elapsed time. A claim as well."""
    used_us: int
    """The processor time of all processes of the bot, as far as the kernel keeps it."""
    stolen_us: int = 0
    """Taken by the host of this virtual machine from a processor that the bot was on; such time may
    be part of the waits, too."""
    outside_us: int = 0
    """Used by processes outside of the bot's tree on its processors; see `add_outside_use`."""
    stopped_us: int = 0
    """How long after the deadline the harness neither ran nor waited for a processor: it was
    stopped, or the whole machine was; at most what the bot's processor time leaves."""

    cpus: frozenset[int] = frozenset()
    """The processors of the bot's threads that keep their claim."""

    @property
    def waited_us(self) -> int:
        """Time for which the bot or the harness waited, whatever the cause."""
        return self.bot_us + self.harness_us

    def excusable_us(self, contended_us: int = 0) -> int:
        """Return the part of the elapsed time that the bot cannot have caused.

        Args:
            contended_us: of the elapsed time, what others would have used of the processor by
                another measurement than `outside_us`.

        """
        waited_us = min(self.waited_us, max(self.outside_us, contended_us))
        return max(self.stolen_us, self.stopped_us + waited_us)


class _Thread(NamedTuple):
    cpu_ns: int
    wait_ns: int


class Snapshot(NamedTuple):
    """The kernel's accounts before the question; about 50 us to take for a simple bot."""

    taken: float
    threads: dict[str, _Thread]
    harness: _Thread
    blocked: dict[str, int]
    """By each process's first thread: how often it has blocked so far."""
    ended_ns: int
    """Processor time of processes that had ended; 0 when it was not asked for."""
    stolen_us: dict[int, int]
    """By processor: what the host of this virtual machine has taken from it since its start."""
    outside: Mapping[int, Clock]
    """The clocks of all processes by id."""


class _Look(NamedTuple):
    """A look after a missed deadline."""

    able: frozenset[str]
    """The threads that could run, just before the accounts were read."""
    held: frozenset[str]
    """The bot's only thread if it waited for its memory then."""
    accounts: Snapshot


def snapshot(
    supervisor: int | None, *, ended: bool, outside: Mapping[int, Clock] | None = None
) -> Snapshot:
    """Look at all threads of all processes below a bot's supervisor, and at the calling thread.

    Args:
        supervisor: its process id, or None if the bot has not been started.
        ended: whether to count processes that have ended, which costs a file for each that lives.
        outside: the clocks of all processes, from `OutsideClocks`.

    """
    pids = [] if supervisor is None else descendants(supervisor)
    threads = {path: booked for path in _threads(pids) if (booked := _booked(path))}
    harness = _booked("/proc/thread-self") or _Thread(0, 0)
    blocked = {path: count for path in threads if (count := _blocked(path)) is not None}
    ended_ns = waited_ns([supervisor, *pids]) if ended and supervisor is not None else 0
    return Snapshot(
        time.monotonic(), threads, harness, blocked, ended_ns, _stolen_us(), outside or {}
    )


def measure_stall(supervisor: int, before: Snapshot, oversleep_us: int) -> Stall:
    """Compare with a snapshot taken before; to be called before the bot is killed.

    Takes up to GRACE_S: a wait is booked when it ends, so a thread that is queued at this moment
    is given as long to be let on a processor.
    """
    missed = time.monotonic()
    look = _look(supervisor)
    waiting = _only_waited(before, look)
    while not waiting and time.monotonic() < missed + GRACE_S and look.able:
        time.sleep(0.001)
        former, look = look, _look(supervisor)
        if former.accounts.threads != look.accounts.threads:  # its wait has ended and is booked
            break
    now = look.accounts
    none = _Thread(0, 0)
    waits = [
        booked.wait_ns - before.threads.get(path, none).wait_ns
        for path, booked in now.threads.items()
        if _keeps_claim(path)
    ]
    cpu_ns = sum(b.cpu_ns - before.threads.get(p, none).cpu_ns for p, b in now.threads.items())
    cpu_ns += now.ended_ns - before.ended_ns
    elapsed_ns = int((missed - before.taken) * 1e9)
    longest_ns = max(waits, default=0) - int((now.taken - missed) * 1e9)
    if waiting:
        longest_ns = elapsed_ns
    own_us = (now.harness.wait_ns - before.harness.wait_ns) // 1000
    idle_us = max(0, (elapsed_ns - cpu_ns) // 1000)
    cpus = _processors(now)
    return Stall(
        elapsed_us=elapsed_ns // 1000,
        bot_us=starved_ns(longest_ns, cpu_ns, elapsed_ns) // 1000,
        harness_us=min(own_us, idle_us),
        used_us=cpu_ns // 1000,
        stolen_us=_most_stolen_us(before, now, cpus),
        stopped_us=min(max(0, oversleep_us - own_us), idle_us),
        cpus=cpus,
    )


def add_outside_use(stall: Stall, supervisor: int, before: Snapshot) -> Stall:
    """Add what processes outside of a bot's tree have used; the bot may have ended meanwhile."""
    if not before.outside:
        return stall
    return stall._replace(outside_us=outside_us(before.outside, supervisor, stall.cpus))


def _processors(now: Snapshot) -> frozenset[int]:
    """Return the processors of the bot's threads that keep their claim."""
    found = {_processor(path) for path in now.threads if _keeps_claim(path)}
    return frozenset(cpu for cpu in found if cpu is not None)


def _most_stolen_us(before: Snapshot, now: Snapshot, cpus: frozenset[int]) -> int:
    """The time that the host took meanwhile from the most robbed of the bot's processors."""
    taken = [us - before.stolen_us.get(cpu, 0) for cpu, us in now.stolen_us.items() if cpu in cpus]
    return max(taken, default=0)


def describe_stall(stall: Stall) -> str:
    """Describe a late bot's time: computing, waiting for a processor, or neither (it slept).

    The bot and the referee may wait at the same time, so the parts can be more than the whole.
    """
    return (
        f"of {stall.elapsed_us / 1000:.0f} ms it computed for {stall.used_us / 1000:.0f}; it or "
        f"the referee waited for {max(stall.waited_us, stall.stolen_us) / 1000:.0f}, other "
        f"programs ran for {stall.outside_us / 1000:.0f}"
    )


def starved_ns(longest_wait_ns: int, cpu_ns: int, elapsed_ns: int) -> int:
    """How long a bot lacked the processor that it is entitled to.

    Its threads may wait for each other's processor; so what all of them used counts against what
    one of them waited.
    """
    return max(0, min(longest_wait_ns, elapsed_ns - cpu_ns))


def measure_start_delay_us(supervisor: int, before: Snapshot, contended_us: int) -> int:
    """Return how long the machine delayed the start of a bot, its supervisor's included.

    Args:
        supervisor: process id of the bot's supervisor.
        before: taken before its start.
        contended_us: of that time, what others would have used of the processor by an earlier
            measurement.

    """
    stall = add_outside_use(measure_stall(supervisor, before, 0), supervisor, before)
    booked = _booked(f"/proc/{supervisor}/task/{supervisor}")
    if booked is not None:
        stall = stall._replace(harness_us=stall.harness_us + booked.wait_ns // 1000)
    return stall.excusable_us(2 * max(stall.outside_us, contended_us))


def _threads(pids: list[int]) -> list[str]:
    """The /proc folders of all threads of some processes."""
    found = []
    for pid in pids:
        try:
            found += [f"/proc/{pid}/task/{thread}" for thread in os.listdir(f"/proc/{pid}/task")]
        except OSError:
            continue
    return found


def _booked(path: str) -> _Thread | None:
    try:
        cpu, wait, _ = read(f"{path}/schedstat").split()
    except (OSError, ValueError):  # ended meanwhile, or a kernel without these counters
        return None
    return _Thread(int(cpu), int(wait))


def _look(supervisor: int) -> _Look:
    states = {path: _state(path) for path in _threads(descendants(supervisor))}
    able = frozenset(path for path, state in states.items() if state == b"R")
    held = {path for path, state in states.items() if state == b"D" and _waits_for_memory(path)}
    return _Look(
        able, frozenset(held if len(states) == 1 else ()), snapshot(supervisor, ended=True)
    )


def _state(path: str) -> bytes:
    """The letter for what a thread does; none when it has ended."""
    try:
        return stat_fields(path)[0]
    except (OSError, IndexError):
        return b""


def _processor(path: str) -> int | None:
    """The processor that a thread is on, or was on last; None when it has ended."""
    try:
        return int(stat_fields(path)[36])
    except (OSError, IndexError):
        return None


def _call(path: str) -> int | None:
    """The number of the system call that a thread sleeps in, or PAGE_FAULT; None: unknown."""
    try:
        return int(read(f"{path}/syscall").split()[0])
    except (OSError, ValueError, IndexError):  # it runs, or we may not look
        return None


def _waits_for_memory(path: str) -> bool:
    """Return whether a thread sleeps for the lock on its memory, which only others can hold."""
    try:
        return _call(path) in MEMORY_CALLS and read(f"{path}/wchan") in LOCK_WAITS
    except OSError:  # it has ended, or access is denied
        return False


def _blocked(path: str) -> int | None:
    """How often a process's first thread has blocked; None for its others, and when it ended."""
    _, _, pid, _, thread = path.split("/")
    if pid != thread:
        return None
    try:
        return int(read(f"{path}/status").split(b"\nvoluntary_ctxt_switches:")[1].split()[0])
    except (OSError, IndexError):
        return None


def _only_waited(before: Snapshot, look: _Look) -> bool:
    """Whether some first thread has done nothing but run and wait since the former look."""
    times = {
        path: count - before.blocked[path]
        for path, count in look.accounts.blocked.items()
        if path in before.blocked
    }
    return any(
        ((path in look.able and gave_up == 0) or (path in look.held and gave_up <= 1))
        and _keeps_claim(path)
        for path, gave_up in times.items()
    )


def _stolen_us() -> dict[int, int]:
    """The time that the host of a virtual machine took from each processor, in microseconds.

    The kernel tells it in ticks of 10 ms. Empty on a machine of its own.
    """
    if not _is_guest():
        return {}
    found = {}
    for line in read("/proc/stat").splitlines():
        words = line.split()
        if words[0] != b"cpu":
            if not words[0].startswith(b"cpu"):
                break
            found[int(words[0][3:])] = int(words[8]) * 1_000_000 // TICKS_S
    return found


@cache
def _is_guest() -> bool:
    """Whether this may be a virtual machine; elsewhere looking for stolen time costs and tells
    nothing."""
    try:
        with open("/proc/cpuinfo", "rb") as known:
            flags = next((line for line in known if line.startswith(b"flags")), None)
    except OSError:
        return True
    return flags is None or b" hypervisor" in flags  # only x86 has such flags


def _keeps_claim(path: str) -> bool:
    """Whether a thread still has the claim on a processor that the harness has, and handed on."""
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
    """The nice value of a process's session among others (autogroup); 0 without such groups."""
    try:
        return int(read(f"/proc/{process}/autogroup").split()[-1])
    except (OSError, ValueError, IndexError):
        return 0
