"""The processor time that processes outside a bot's tree have used on the bot's CPUs.

A bot can keep its own CPU busy in ways that no account shows: children whose parent ignores their
end vanish with all that they used. So contention is not inferred from the CPU's idle time. It is
measured on processes that are not the bot's: their CPU clocks are read before the question and
after the missed deadline, and each that has run meanwhile counts only if its chain of parents
leads to the top without the bot's supervisor, which adopts whatever the bot leaves behind.

Kernel threads do not count, for they work on behalf of the bot as well. Processes that have ended,
or that another PID namespace hides, are not seen; `ladder.match.game.control` covers those.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from time import clock_gettime_ns

from ladder.match.process.procfs import cpu_clock, read

SHARE = 0.02
"""Largest share of the time that reading the clocks may take."""
NOTABLE_NS = 500_000
"""Use below this is not attributed, which saves reading most processes."""
KERNEL_THREAD = 0x00200000
"""The flag PF_KTHREAD of a process."""


class OutsideClocks:
    """The CPU clocks of all processes, read at most so often that it costs SHARE of the time."""

    def __init__(self) -> None:
        self._clocks: dict[int, int] = {}
        self._due = 0.0

    def read(self) -> Mapping[int, int]:
        """Return CPU time by process id, in nanoseconds; a recent reading may be returned again."""
        began = time.monotonic()
        if began >= self._due:
            self._clocks = _clocks()
            ended = time.monotonic()
            self._due = ended + (ended - began) / SHARE
        return self._clocks


def outside_us(before: Mapping[int, int], supervisor: int, cpus: frozenset[int]) -> int:
    """Return the processor time used since `before` by processes outside a bot's tree.

    Args:
        before: CPU time by process id, in nanoseconds, from `OutsideClocks`.
        supervisor: process id of the bot's supervisor.
        cpus: CPUs of the bot; processes that ran last on another one are left out.

    Returns:
        Microseconds, this process left out.

    """
    own = os.getpid()
    used_ns = 0
    for pid, now_ns in _clocks().items():
        earlier_ns = before.get(pid, 0)
        # A smaller reading is that of another process with the same number.
        delta_ns = now_ns - earlier_ns if now_ns >= earlier_ns else now_ns
        if delta_ns >= NOTABLE_NS and pid != own and _is_outside(pid, supervisor, cpus):
            used_ns += delta_ns
    return used_ns // 1000


def _clocks() -> dict[int, int]:
    """Return the CPU time of each process that is visible, in nanoseconds."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            pid = int(name)
            try:
                found[pid] = clock_gettime_ns(cpu_clock(pid))
            except OSError:  # it has ended
                continue
    return found


def _is_outside(pid: int, supervisor: int, cpus: frozenset[int]) -> bool:
    """Return whether a process is on one of the CPUs, no kernel thread and not below `supervisor`.

    The parent of a process of the bot's tree is in that tree at every moment, so a chain read
    while the tree changes either reaches the supervisor or breaks off; a broken chain proves
    nothing and does not count.
    """
    fields = _stat(pid)
    if fields is None or int(fields[36]) not in cpus or int(fields[6]) & KERNEL_THREAD:
        return False
    while pid != supervisor:
        pid = int(fields[1])
        if pid == 0:
            return True
        fields = _stat(pid)
        if fields is None:
            return False
    return False


def _stat(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat behind the name, or None if the process has ended."""
    try:
        return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return None
