"""The limits of one bot: of each process, and of all of them together.

The kernel limits each process (setrlimit(2)). The memory and the number of all processes are
measured, and limited by the kernel as well where the bot has a control group
(`ladder.match.process.cgroups`).

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import os
import resource

from ladder.match.process.procfs import descendants, read

SPARE_TASKS = 1024
"""Tasks added to the limit of processes, because the kernel also counts threads."""
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.2
"""Bounds of the pause between two measurements."""
GROWTH_KB_S = 4 * 1024 * 1024
"""Assumed growth of memory, in KiB/s: with 400 MiB left to the limit, the pause is 0.1 s."""
UNLIMITED = 2**40
MIB = 1024 * 1024
PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def limit_process(limits: dict[str, str]) -> None:
    """Limit this process and its future children. Raises OSError.

    Args:
        limits: any of open_files, file_mb, address_mb and processes.

    """
    _limit_resource(resource.RLIMIT_CORE, 0)
    for kind, name, unit in (
        (resource.RLIMIT_NOFILE, "open_files", 1),
        (resource.RLIMIT_FSIZE, "file_mb", MIB),
        (resource.RLIMIT_AS, "address_mb", MIB),
    ):
        if limit := int(limits.get(name, 0)):
            _limit_resource(kind, limit * unit)
    if "processes" in limits:
        # The kernel counts all tasks of the user, so this limit only stops fork bombs.
        tasks = int(read("/proc/loadavg").split()[3].split(b"/")[1])
        _limit_resource(resource.RLIMIT_NPROC, tasks + int(limits["processes"]) + SPARE_TASKS)


def _limit_resource(kind: int, limit: int) -> None:
    """Set a limit, or the hard limit if that is lower."""
    _, most = resource.getrlimit(kind)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(kind, (limit, limit))


class LimitMonitor:
    """Measurements of what the descendants of a supervisor use together."""

    def __init__(self, limits: dict[str, str], supervisor: int = 0) -> None:
        """Begin to measure.

        Args:
            limits: any of memory_mb, processes, and group, the folder of their control group.
            supervisor: its process id; 0 for this process.

        """
        self.supervisor = supervisor or os.getpid()
        self.max_memory_kb = int(limits.get("memory_mb", UNLIMITED)) * 1024
        self.max_processes = int(limits.get("processes", UNLIMITED))
        self.group = limits.get("group", "")
        self.pause_s = LONGEST_PAUSE_S
        """Time until the next check."""

    def find_excess(self) -> str:
        """Return the kind of an exceeded limit and a sentence about it, or "" if all are kept."""
        pids = descendants(self.supervisor, self.max_processes)
        if len(pids) > self.max_processes:
            return (
                f"processes over its limit of {self.max_processes} processes, threads not counted"
            )
        if excess := self.find_group_excess():
            return excess
        used = sum(map(_resident_kb, pids))
        left = self.max_memory_kb - used
        self.pause_s = min(LONGEST_PAUSE_S, max(SHORTEST_PAUSE_S, left / GROWTH_KB_S))
        if left < 0:
            used = sum(map(_proportional_kb, pids))
            self.pause_s = LONGEST_PAUSE_S  # it takes 20 ms per GiB, and keeps the bot waiting
        if used <= self.max_memory_kb:
            return ""
        processes = "1 process" if len(pids) == 1 else f"{len(pids)} processes"
        return (
            f"memory over its memory limit: {used // 1024} MiB resident in {processes}, "
            f"{self.max_memory_kb // 1024} MiB allowed"
        )

    def find_group_excess(self) -> str:
        """Return the same if the kernel has killed a process for the memory of its group."""
        try:
            lines = read(f"{self.group}/memory.events").splitlines() if self.group else []
        except OSError:
            return ""
        if not any(line.startswith(b"oom_kill ") and line != b"oom_kill 0" for line in lines):
            return ""
        return (
            f"memory over its memory limit: the kernel counts more than the"
            f" {self.max_memory_kb // 1024} MiB allowed for its control group"
        )


def _resident_kb(pid: int) -> int:
    """Return the resident memory of a process in KiB, shared pages included; 0 if it has ended."""
    try:
        return int(read(f"/proc/{pid}/statm").split()[1]) * PAGE_KB
    except (OSError, IndexError):
        return 0


def _proportional_kb(pid: int) -> int:
    """Return the same with shared pages divided among the processes that share them."""
    try:
        return int(read(f"/proc/{pid}/smaps_rollup").split(b"\nPss:")[1].split()[0])
    except (OSError, IndexError):
        return _resident_kb(pid)
