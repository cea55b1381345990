"""The processor time that processes outside a bot's tree have used on the bot's CPUs.

A bot can keep its own CPU busy without a trace: the time of children whose parent ignores their end
(SIGCHLD) appears nowhere. So contention is not inferred from the CPU's idle time but measured on
the other processes: their CPU clocks are read before the question and after the missed deadline. A
process counts only if its chain of parents reaches the top without meeting the bot's supervisor,
which adopts everything that the bot leaves behind.

A program that starts many short-lived processes counts by the time of the children that it reaped.
Kernel threads do not count, for they work for the bot as well. Processes in a hidden PID namespace
are invisible here; `ladder.match.game.control` covers those.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from time import clock_gettime_ns
from typing import NamedTuple

from ladder.match.process.procfs import (
    CSTIME,
    CUTIME,
    FLAGS,
    PARENT,
    PROCESSOR,
    TICKS_S,
    cpu_clock_id,
    stat_fields,
)

SHARE = 0.02
"""Largest share of the time that reading the clocks may take."""
NOTABLE_NS = 500_000
"""Processor time below this is ignored, which saves reading most processes' parents."""
KERNEL_THREAD = 0x00200000
"""The flag PF_KTHREAD of a process."""


class CpuTimes(NamedTuple):
    """The processor times of a process."""

    own_ns: int
    children_ns: int
    """Time of its reaped children."""
    parent: int = 0
    """Process id of its parent."""


class OutsideClocks:
    """The CPU clocks of all processes, read so rarely that it costs at most SHARE of the time."""

    def __init__(self) -> None:
        self._clocks: dict[int, CpuTimes] = {}
        self._due = 0.0

    def read(self) -> Mapping[int, CpuTimes]:
        """Return the clocks by process id, possibly from a recent reading."""
        began = time.monotonic()
        if began >= self._due:
            self._clocks = {pid: clock for pid, (clock, _) in _read_clocks().items()}
            ended = time.monotonic()
            self._due = ended + (ended - began) / SHARE
        return self._clocks


def outside_us(before: Mapping[int, CpuTimes], supervisor: int, cpus: frozenset[int]) -> int:
    """Return the processor time used since `before` by processes outside a bot's tree.

    Args:
        before: an earlier reading of `OutsideClocks`.
        supervisor: process id of the bot's supervisor.
        cpus: CPUs of the bot. A process counts if it ran last on one of them. The CPU of ended
            children is unknown: if their parent may use 4 CPUs and 1 of them is the bot's, a
            quarter of their time counts.

    Returns:
        Microseconds, without this process.

    """
    own = os.getpid()
    used_ns = 0
    now = _read_clocks()
    ended_ns: dict[int, int] = {}
    """Earlier processor time of the processes that have ended since and of the children that they
    had reaped, by the process that reaped them."""
    for pid, clock in before.items():
        if pid in now:
            continue
        heir = clock.parent
        while heir in before and heir not in now:  # it has ended, too: its parent reaped both
            heir = before[heir].parent
        ended_ns[heir] = ended_ns.get(heir, 0) + clock.own_ns + clock.children_ns
    for pid, (clock, fields) in now.items():
        earlier = before.get(pid, CpuTimes(0, 0))
        if clock.own_ns < earlier.own_ns:  # another process with the same id
            earlier = CpuTimes(0, 0)
        own_ns = clock.own_ns - earlier.own_ns if int(fields[PROCESSOR]) in cpus else 0
        children_ns = clock.children_ns - earlier.children_ns - ended_ns.get(pid, 0)
        if max(own_ns, children_ns) < NOTABLE_NS or pid == own:
            continue
        if _is_outside(pid, fields, supervisor):
            used_ns += own_ns + int(max(0, children_ns) * _share_of_cpus(pid, cpus))
    return used_ns // 1000


def _share_of_cpus(pid: int, cpus: frozenset[int]) -> float:
    """Return the share of a process's allowed CPUs that are the bot's."""
    try:
        allowed = os.sched_getaffinity(pid)
    except OSError:  # it has ended
        return 0.0
    return len(allowed & cpus) / len(allowed)


def _read_clocks() -> dict[int, tuple[CpuTimes, list[bytes]]]:
    """Return the clock and the fields of /proc/PID/stat of each visible process."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        pid = int(name)
        fields = _stat(pid)
        if fields is None or int(fields[FLAGS]) & KERNEL_THREAD:
            continue
        try:
            own_ns = clock_gettime_ns(cpu_clock_id(pid))
        except OSError:  # it has ended
            continue
        ticks = int(fields[CUTIME]) + int(fields[CSTIME])
        children_ns = ticks * 1_000_000_000 // TICKS_S
        found[pid] = CpuTimes(own_ns, children_ns, int(fields[PARENT])), fields
    return found


def _is_outside(pid: int, fields: list[bytes] | None, supervisor: int) -> bool:
    """Return whether a process is certainly not below `supervisor`.

    The parent of a process in the bot's tree is in that tree at every moment. So a chain that is
    read while the tree changes either reaches the supervisor or breaks off, and a broken chain
    counts as inside.
    """
    while pid != supervisor:
        if fields is None:
            return False
        pid = int(fields[PARENT])
        if pid == 0:
            return True
        fields = _stat(pid)
    return False


def _stat(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat after the name, or None if the process has ended."""
    try:
        return stat_fields(f"/proc/{pid}")
    except OSError:
        return None
