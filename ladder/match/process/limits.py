# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""The limits of one bot: of each process, and of all of them together.

The kernel limits each process (setrlimit(2)). The memory and the number of all processes are
measured, and limited by the kernel as well where the bot has a control group (cgroup version 2). A
group holds every process that a bot starts, whatever its session or parent.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import os
import resource
import time

from ladder.match.process.procfs import descendants, proportional_kb, read, resident_kb

SPARE_TASKS = 1024
"""Tasks added to the limit of processes, because the kernel also counts threads."""
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.2
"""Bounds of the pause between two measurements."""
CHECKS_PER_PSS = 50
"""Checks after which shared memory is measured again."""
GROWTH_KB_S = 4 * 1024 * 1024
"""Assumed growth of memory, in KiB/s: with 400 MiB left to the limit, the pause is 0.1 s."""
UNLIMITED = 2**40
MIB = 1024 * 1024


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
    """Measurements of what this process's descendants use together."""

    def __init__(self, limits: dict[str, str]) -> None:
        """Begin to measure.

        Args:
            limits: any of memory_mb, processes, and group, the folder of their control group.

        """
        self.max_memory_kb = int(limits.get("memory_mb", UNLIMITED)) * 1024
        self.max_processes = int(limits.get("processes", UNLIMITED))
        self.group = limits.get("group", "")
        self.pause_s = LONGEST_PAUSE_S
        """Time until the next check."""
        self.shared_kb = 0
        """Resident memory that is counted twice because processes share it, when last measured."""
        self.checks = 0

    def find_excess(self) -> str:
        """Return the kind of an exceeded limit and a sentence about it, or "" if all are kept."""
        pids = descendants(os.getpid(), self.max_processes)
        if len(pids) > self.max_processes:
            return (
                f"processes over its limit of {self.max_processes} processes, threads not counted"
            )
        if excess := self.find_group_excess():
            return excess
        used = self._measure_memory_kb(pids)
        left = self.max_memory_kb - used
        self.pause_s = min(LONGEST_PAUSE_S, max(SHORTEST_PAUSE_S, left / GROWTH_KB_S))
        if left >= 0:
            return ""
        processes = "1 process" if len(pids) == 1 else f"{len(pids)} processes"
        return (
            f"memory over its memory limit: {used // 1024} MiB resident in {processes}, "
            f"{self.max_memory_kb // 1024} MiB allowed"
        )

    def _measure_memory_kb(self, pids: list[int]) -> int:
        """Return the resident memory of processes in KiB, with shared pages counted once.

        PSS takes milliseconds per GiB, and blocks the bot's own memory calls meanwhile. So it is
        read only if the estimate exceeds the limit, and rarely while the sum of RSS does.
        """
        resident = resident_kb(pids)
        self.checks += 1
        is_due = resident > self.max_memory_kb and self.checks % CHECKS_PER_PSS == 0
        if is_due or resident - self.shared_kb > self.max_memory_kb:
            self.shared_kb = resident - proportional_kb(pids)
        return resident - self.shared_kb

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


def make_group(folder: str, limits: dict[str, str]) -> bool:
    """Create a bot's control group with its limits; return False if that is not possible."""
    memory_mb, processes = limits.get("memory_mb"), limits.get("processes")
    try:
        os.mkdir(folder)
        os.stat(f"{folder}/cgroup.kill")  # since Linux 5.14
        if memory_mb is not None:
            _write(f"{folder}/memory.max", str(int(memory_mb) << 20))
            _write(f"{folder}/memory.swap.max", "0")
            _write(f"{folder}/memory.oom.group", "1")
        if processes is not None:
            _write(f"{folder}/pids.max", str(int(processes) + SPARE_TASKS))
    except OSError:
        _remove(folder)
        return False
    return True


def enter_group(folder: str) -> None:
    """Move this process into a control group; its future children follow. Raises OSError."""
    _write(f"{folder}/cgroup.procs", "0")


def end_group(folder: str, patience_s: float) -> bool:
    """Kill all processes in a group and remove it; return whether it is gone.

    Tries at least once, and again for up to `patience_s` seconds.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            _write(f"{folder}/cgroup.kill", "1")
        except OSError:
            pass
        if _remove(folder):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.0005)


def _remove(folder: str) -> bool:
    """Remove a group if its processes have ended; return whether it is gone."""
    try:
        os.rmdir(folder)
    except OSError:
        pass
    return not os.path.isdir(folder)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
