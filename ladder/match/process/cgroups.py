"""Control groups (cgroup version 2): one for each bot where possible, and those of this process.

A group holds every process that a bot starts, whatever its session or parent. Bots get theirs
below the group of this process, so that they stay inside the limits of the ladder itself, where
the controllers `memory` and `pids` are available. Only the root group may have both processes and
subgroups with controllers ("no internal processes", cgroups(7)). Elsewhere the processes of the
ladder first move into a subgroup of their own, unless processes of other programs are in the group.
"""

import contextlib
import functools
import os
from pathlib import Path

from db.records.launch import Limits
from ladder.match.process.limits import MIB, SPARE_TASKS

LEAF = "ladder-harness"
"""Name of the subgroup into which the ladder's own processes move."""
CONTROLLERS = ("memory", "pids")
"""Controllers to enable; not `cpu`, which would change a bot's share of the processor."""
ROOT, OWN = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


def find_parent_group(root: Path = ROOT, own: Path = OWN) -> Path | None:
    """Return the group in which bots can get theirs, or None if this user may create none.

    Enables the controllers, for which the processes of this command may move into a subgroup.

    Args:
        root: the folder of the hierarchy of version 2.
        own: the file that names the control groups of this process.

    """
    folders = _own_folders(root, own)
    if not folders:
        return None
    folder = folders[0].parent if folders[0].name == LEAF else folders[0]
    try:
        if not {*CONTROLLERS} <= {*(folder / "cgroup.subtree_control").read_text().split()}:
            if (folder / "cgroup.type").exists():  # not the root
                pids = (folder / "cgroup.procs").read_text().split()
                if any(os.getpgid(int(pid)) != os.getpgid(0) for pid in pids):
                    return None  # other programs are in the group
                (folder / LEAF).mkdir(exist_ok=True)
                for pid in pids:
                    (folder / LEAF / "cgroup.procs").write_text(pid)
            for name in CONTROLLERS:
                (folder / "cgroup.subtree_control").write_text(f"+{name}")
    except OSError:  # not delegated, or no control groups
        return None
    is_writable = all(os.access(each, os.W_OK) for each in (folder, folder / "cgroup.procs"))
    return folder if is_writable else None


@functools.cache
def cached_parent_group() -> Path | None:
    """Find the parent of bots' groups once."""
    return find_parent_group()


def make_group(parent: Path | None, name: str, limits: Limits) -> str:
    """Create a bot's control group with its limits; return its folder, or "" if it has none."""
    if parent is None:
        return ""
    folder = parent / name
    values = {}
    if limits.memory_mb is not None:
        values = {"memory.max": limits.memory_mb * MIB, "memory.swap.max": 0, "memory.oom.group": 1}
    if limits.processes is not None:
        values["pids.max"] = limits.processes + SPARE_TASKS
    try:
        folder.mkdir()
        (folder / "cgroup.kill").stat()  # since Linux 5.14
        for file, value in values.items():
            (folder / file).write_text(str(value))
    except OSError:
        with contextlib.suppress(OSError):
            folder.rmdir()
        return ""
    return str(folder)


def end_group(name: str) -> None:
    """Kill all processes in a bot's control group, and remove it if they have ended."""
    folder = (cached_parent_group() or ROOT) / name
    with contextlib.suppress(OSError):
        (folder / "cgroup.kill").write_text("1")
    with contextlib.suppress(OSError):
        folder.rmdir()


def cpu_quota(root: Path = ROOT, own: Path = OWN) -> float | None:
    """Return how many processors' time this process may use, or None if it is unlimited.

    Reads all visible groups above this process's. Sets of processors (cpusets) are not read,
    because the kernel applies them to the affinity of processes. The arguments are those of
    `find_parent_group`.
    """
    quotas = []
    for folder in _own_folders(root, own):
        with contextlib.suppress(OSError):  # the root has no limits
            quota, period = (folder / "cpu.max").read_text().split()
            if quota != "max":
                quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def _own_folders(root: Path, own: Path) -> list[Path]:
    """Return the folders of this process's group and of the visible groups above it."""
    with contextlib.suppress(OSError):
        for line in own.read_text().splitlines():
            folder = root / line.removeprefix("0::").strip("/")
            if line.startswith("0::") and ".." not in folder.parts and folder.is_dir():
                return [each for each in (folder, *folder.parents) if each.is_relative_to(root)]
    return []
