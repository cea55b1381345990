"""The processor time that processes outside a bot's tree have used on the bot's CPUs.

A bot can keep its own CPU busy in ways that no account shows: children whose parent ignores their
end vanish with all that they used. So contention is not inferred from the CPU's idle time. It is
measured on processes that are not the bot's: their CPU clocks are read before the question and
after the missed deadline, and each that has run meanwhile counts only if its chain of parents
leads to the top without the bot's supervisor, which adopts whatever the bot leaves behind.

A program that starts many short-lived ones is known by the processor time of the children that it
has waited for. Kernel threads do not count, for they work on behalf of the bot as well. Processes
that another PID namespace hides are not seen; `ladder.match.game.control` covers those.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from time import clock_gettime_ns
from typing import NamedTuple

from ladder.match.process.procfs import TICKS_S, cpu_clock, stat_fields

SHARE = 0.02
"""Largest share of the time that reading the clocks may take."""
NOTABLE_NS = 500_000
"""Use below this is not attributed, which saves reading most processes."""
KERNEL_THREAD = 0x00200000
"""The flag PF_KTHREAD of a process."""


class Clock(NamedTuple):
    """Processor time of a process, in nanoseconds."""

    own_ns: int
    children_ns: int
    """Of the children that it has waited for."""
    parent: int = 0
    """The process id of its parent."""


class OutsideClocks:
    """The CPU clocks of all processes, read at most so often that it costs SHARE of the time."""

    def __init__(self) -> None:
        self._clocks: dict[int, Clock] = {}
        self._due = 0.0

    def read(self) -> Mapping[int, Clock]:
        """Return the clocks by process id; a recent reading may be returned again."""
        began = time.monotonic()
        if began >= self._due:
            self._clocks = {pid: clock for pid, (clock, _) in _clocks().items()}
            ended = time.monotonic()
            self._due = ended + (ended - began) / SHARE
        return self._clocks


def outside_us(before: Mapping[int, Clock], supervisor: int, cpus: frozenset[int]) -> int:
    """Return the processor time used since `before` by processes outside a bot's tree.

    Args:
        before: from `OutsideClocks`.
        supervisor: process id of the bot's supervisor.
        cpus: CPUs of the bot; processes that ran last on another one are left out, and of children
            that have ended, whose CPU is not known, an even share counts.

    Returns:
        Microseconds, this process left out.

    """
    own = os.getpid()
    used_ns = 0
    now = _clocks()
    ended_ns: dict[int, int] = {}
    """Earlier processor time of the processes that have ended since, by their parents."""
    for pid, clock in before.items():
        if pid not in now:
            ended_ns[clock.parent] = ended_ns.get(clock.parent, 0) + clock.own_ns
    for pid, (clock, fields) in now.items():
        earlier = before.get(pid, Clock(0, 0))
        if clock.own_ns < earlier.own_ns:  # another process of the same number
            earlier = Clock(0, 0)
        own_ns = clock.own_ns - earlier.own_ns if int(fields[36]) in cpus else 0
        children_ns = clock.children_ns - earlier.children_ns - ended_ns.get(pid, 0)
        if max(own_ns, children_ns) < NOTABLE_NS or pid == own:
            continue
        if _is_outside(pid, fields, supervisor):
            used_ns += own_ns + int(max(0, children_ns) * _share(pid, cpus))
    return used_ns // 1000


def _share(pid: int, cpus: frozenset[int]) -> float:
    """Return the part of its CPUs that a process has in common with a bot."""
    try:
        allowed = os.sched_getaffinity(pid)
    except OSError:  # it has ended
        return 0.0
    return len(allowed & cpus) / len(allowed)


def _clocks() -> dict[int, tuple[Clock, list[bytes]]]:
    """Return the clock and the fields of /proc/PID/stat of each process that is visible."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        pid = int(name)
        fields = _stat(pid)
        if fields is None or int(fields[6]) & KERNEL_THREAD:
            continue
        try:
            own_ns = clock_gettime_ns(cpu_clock(pid))
        except OSError:  # it has ended
            continue
        ticks = int(fields[13]) + int(fields[14])
        children_ns = ticks * 1_000_000_000 // TICKS_S
        found[pid] = Clock(own_ns, children_ns, int(fields[1])), fields
    return found


def _is_outside(pid: int, fields: list[bytes] | None, supervisor: int) -> bool:
    """Return whether a process is not below `supervisor`.

    The parent of a process of the bot's tree is in that tree at every moment, so a chain read
    while the tree changes either reaches the supervisor or breaks off; a broken chain proves
    nothing and does not count.
    """
    while pid != supervisor:
        if fields is None:
            return False
        pid = int(fields[1])
        if pid == 0:
            return True
        fields = _stat(pid)
    return False


def _stat(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat behind the name, or None if the process has ended."""
    try:
        return stat_fields(f"/proc/{pid}")
    except OSError:
        return None
