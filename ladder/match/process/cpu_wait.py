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
orphans, or by giving its claim away (a higher nice value, another scheduling policy, a move to a
processor of somebody else). So what all processes below its supervisor have used counts against
its wait and the harness's, and a thread that gave its claim away has no complaint.
"""

from __future__ import annotations

import os
import time
from functools import cache
from typing import NamedTuple

from ladder.match.process.procfs import TICKS_S, descendants, read, waited_ns

PAGE_FAULT = -1
"""The number of no system call, of a thread that sleeps in one of its page faults."""
MEMORY_CALLS = {
    "x86_64": {PAGE_FAULT, 9, 10, 11, 12, 25, 28},
    "aarch64": {PAGE_FAULT, 222, 226, 215, 214, 216, 233},
}.get(os.uname().machine, {PAGE_FAULT})
"""The numbers of mmap, mprotect, munmap, brk, mremap and madvise."""
GRACE_S = 0.01
"""How long to wait for a queued thread to run, so that the kernel books its present wait."""


class Stall(NamedTuple):
    """Waits for a processor between a question and its missed deadline: the bot's, and ours."""

    elapsed_us: int
    """From the question to the end of the wait."""
    bot_us: int
    """Runnable but not running: the longest-waiting thread, at most what the bot's processor time
    leaves of the elapsed time (a bot that got one processor's worth has no complaint)."""
    harness_us: int
    """The harness's own: its wait for a processor, or its waking after the deadline; at most what
    the bot's processor time leaves of the elapsed time."""
    used_us: int
    """The processor time of all processes of the bot."""
    stolen_us: int
    """Taken by the host of this virtual machine from a processor that the bot was on; such time may
    be part of the waits, too."""

    @property
    def waited_us(self) -> int:
        """How long the machine kept the bot or us from running."""
        return max(self.bot_us + self.harness_us, self.stolen_us)


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


class _Look(NamedTuple):
    """A look after a missed deadline."""

    able: frozenset[str]
    """The threads that could run, just before the accounts were read."""
    held: frozenset[str]
    """The bot's only thread if it waited for its memory then."""
    accounts: Snapshot


def snapshot(supervisor: int, *, ended: bool) -> Snapshot:
    """Look at all threads of all processes below a bot's supervisor, and at the calling thread.

    Args:
        supervisor: its process id.
        ended: whether to count processes that have ended, which costs a file for each that lives.

    """
    pids = descendants(supervisor)
    threads = {path: booked for path in _threads(pids) if (booked := _booked(path))}
    harness = _booked("/proc/thread-self") or _Thread(0, 0)
    blocked = {path: count for path in threads if (count := _blocked(path)) is not None}
    ended_ns = waited_ns([supervisor, *pids]) if ended else 0
    return Snapshot(time.monotonic(), threads, harness, blocked, ended_ns, _stolen_us())


def stall_since(supervisor: int, before: Snapshot, oversleep_us: int) -> Stall:
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
    return Stall(
        elapsed_us=elapsed_ns // 1000,
        bot_us=starved_ns(longest_ns, cpu_ns, elapsed_ns) // 1000,
        harness_us=max(0, min(max(own_us, oversleep_us), (elapsed_ns - cpu_ns) // 1000)),
        used_us=cpu_ns // 1000,
        stolen_us=_most_stolen_us(before, now),
    )


def _most_stolen_us(before: Snapshot, now: Snapshot) -> int:
    """The time that the host took meanwhile from the most robbed of the bot's processors."""
    used = {_processor(path) for path in now.threads if _keeps_claim(path)}
    taken = [us - before.stolen_us.get(cpu, 0) for cpu, us in now.stolen_us.items() if cpu in used]
    return max(taken, default=0)


def how_spent(stall: Stall) -> str:
    """A late bot's time in words: computing, waiting for a processor, or neither (it slept).

    The bot and the referee may wait at the same time, so the parts can be more than the whole.
    """
    return (
        f"of {stall.elapsed_us / 1000:.0f} ms it computed for {stall.used_us / 1000:.0f}, and the "
        f"machine kept it or the referee waiting for {stall.waited_us / 1000:.0f}"
    )


def starved_ns(longest_wait_ns: int, cpu_ns: int, elapsed_ns: int) -> int:
    """How long a bot lacked the processor that it is entitled to.

    Its threads may wait for each other's processor; so what all of them used counts against what
    one of them waited.
    """
    return max(0, min(longest_wait_ns, elapsed_ns - cpu_ns))


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
    held = {path for path, state in states.items() if state == b"D" and _call(path) in MEMORY_CALLS}
    return _Look(
        able, frozenset(held if len(states) == 1 else ()), snapshot(supervisor, ended=True)
    )


def _state(path: str) -> bytes:
    """The letter for what a thread does; none when it has ended."""
    try:
        return read(f"{path}/stat").rpartition(b")")[2].split()[0]
    except (OSError, IndexError):
        return b""


def _processor(path: str) -> int | None:
    """The processor that a thread is on, or was on last; None when it has ended."""
    try:
        return int(read(f"{path}/stat").rpartition(b")")[2].split()[36])
    except (OSError, IndexError):
        return None


def _call(path: str) -> int | None:
    """The number of the system call that a thread sleeps in, or PAGE_FAULT; None: unknown."""
    try:
        return int(read(f"{path}/syscall").split()[0])
    except (OSError, ValueError, IndexError):  # it runs, or we may not look
        return None


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
