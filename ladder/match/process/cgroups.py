# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""Control groups (cgroup version 2), one for each bot, where this user may create them.

A group holds every process that a bot starts, whatever its session, parent or environment. One
write kills all of them (`cgroup.kill`, Linux 5.14), and one file has their processor time,
including ended processes (`cpu.stat`). Where the controllers `memory` and `pids` are delegated to
this user, the kernel enforces the limits on memory and tasks.

Groups are created only below the group of this process, so that bots stay inside the limits of the
ladder itself. Only the root group may have both processes and subgroups with controllers ("no
internal processes", cgroups(7)). Elsewhere the processes of the ladder first move into a subgroup
of their own, unless processes of other programs are in the group.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import ctypes
import fcntl
import os
import time

from ladder.match.process.procfs import read

LEAF = "ladder-harness"
"""Name of the subgroup into which the ladder's own processes move."""
CONTROLLERS = ("memory", "pids")
"""Controllers to enable; not `cpu`, which would change a bot's share of the processor."""
SPARE_TASKS = 1024
"""Tasks added to the limit of processes, because the kernel also counts threads."""
MOUNTS, OWN = "/proc/self/mountinfo", "/proc/self/cgroup"
CLONE_INTO_CGROUP = 0x200000000
SYS_CLONE3 = 435
SIGCHLD = 17


class ParentGroup:
    """The group in which bots get their groups: its folder and its subgroups' controllers."""

    def __init__(self, folder: str, controllers: tuple[str, ...]) -> None:
        self.folder = folder
        self.controllers = controllers


def find_parent_group(mounts: str = MOUNTS, own: str = OWN) -> ParentGroup | None:
    """Return the parent for the groups of bots, or None if this user may not create groups.

    Changes nothing. `prepare_parent_group` enables further controllers.

    Args:
        mounts: the file that lists the mounted file systems.
        own: the file that names the control groups of this process.

    """
    folders = _own_folders(mounts, own)
    if not folders:
        return None
    folder = folders[0]
    if os.path.basename(folder) == LEAF:
        folder = os.path.dirname(folder)
    if not (os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.procs", os.W_OK)):
        return None
    return ParentGroup(folder, _enabled(folder))


def can_enable(parent: ParentGroup) -> tuple[str, ...]:
    """Return the controllers that `prepare_parent_group` can probably enable."""
    folder = parent.folder
    try:
        offered = read(f"{folder}/cgroup.controllers").decode().split()
    except OSError:
        offered = []
    if not os.access(f"{folder}/cgroup.subtree_control", os.W_OK):
        offered = []
    if not (_is_root(folder) or _only_ours(folder)):
        offered = []
    return tuple(name for name in CONTROLLERS if name in (*parent.controllers, *offered))


def prepare_parent_group(parent: ParentGroup) -> ParentGroup:
    """Enable controllers, moving the processes of this command into a subgroup if necessary."""
    folder = parent.folder
    for name in can_enable(parent):
        if name in parent.controllers:
            continue
        try:
            if not _is_root(folder):
                _move_down(folder)
            _write(f"{folder}/cgroup.subtree_control", f"+{name}")
        except OSError:  # not delegated, or other processes have come meanwhile
            continue
    return ParentGroup(folder, _enabled(folder))


def _is_root(folder: str) -> bool:
    """Return whether a group is the root of the hierarchy."""
    return not os.path.exists(f"{folder}/cgroup.type")


def _only_ours(folder: str) -> bool:
    """Return whether all processes directly in a group belong to this command."""
    try:
        return all(os.getpgid(pid) == os.getpgid(0) for pid in _members(folder))
    except OSError:  # a process has ended meanwhile, or the group is not readable
        return False


def _move_down(folder: str) -> None:
    """Move the processes directly in a group into its subgroup `LEAF`."""
    for pid in _members(folder):
        os.makedirs(f"{folder}/{LEAF}", exist_ok=True)
        _write(f"{folder}/{LEAF}/cgroup.procs", str(pid))


def _members(folder: str) -> list[int]:
    """Return the ids of the processes directly in a group."""
    with open(f"{folder}/cgroup.procs", "rb") as file:
        return list(map(int, file.read().split()))


def cpu_quota(mounts: str = MOUNTS, own: str = OWN) -> float | None:
    """Return how many processors' time this process may use, or None if it is unlimited.

    Reads both versions of cgroups and all visible groups above this process's. Sets of processors
    (cpusets) are not read, because the kernel applies them to the affinity of processes.

    Args:
        mounts: the file that lists the mounted file systems.
        own: the file that names the control groups of this process.

    """
    quotas = []
    for controller, names in (
        ("", ["cpu.max"]),
        ("cpu", ["cpu.cfs_quota_us", "cpu.cfs_period_us"]),
    ):
        for folder in _own_folders(mounts, own, controller):
            try:
                quota, period = b" ".join(read(f"{folder}/{name}") for name in names).split()
            except (OSError, ValueError):  # the root has no limits
                continue
            if quota not in (b"max", b"-1"):
                quotas.append(int(quota) / int(period))
    return min(quotas, default=None)


def _own_folders(mounts: str, own: str, controller: str = "") -> list[str]:
    """Return the folders of this process's group and of the visible groups above it.

    Args:
        mounts: the file that lists the mounted file systems.
        own: the file that names the control groups of this process.
        controller: name of a controller of version 1; "" for the hierarchy of version 2.

    """
    try:
        with open(own, encoding="utf-8") as file:
            named = [line.rstrip("\n").split(":", 2) for line in file]
        with open(mounts, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    paths = [path for _, controllers, path in named if controller in controllers.split(",")]
    for line in lines:
        before, _, after = line.partition(" - ")
        kind, *_, options = after.split() or ("", "")
        is_shown = kind == "cgroup" and controller in options.split(",")
        if paths and (is_shown if controller else kind == "cgroup2"):
            root, point = before.split()[3:5]
            path = paths[0]
            if root != "/" and path.startswith(root):
                path = path[len(root) :]
            folder = os.path.normpath(f"{point}/{path}")
            if ".." not in path and os.path.isdir(folder):
                folders = [folder]
                while folders[-1] != point:
                    folders.append(os.path.dirname(folders[-1]))
                return folders
    return []


def _enabled(folder: str) -> tuple[str, ...]:
    """Return which of `CONTROLLERS` are enabled for the subgroups of a group."""
    try:
        names = read(f"{folder}/cgroup.subtree_control").decode().split()
    except OSError:
        return ()
    return tuple(name for name in CONTROLLERS if name in names)


class BotGroup:
    """The control group of one bot."""

    def __init__(self, folder: str) -> None:
        """Open and lock an existing group; the kernel frees the lock when this process ends.

        Raises:
            OSError: the group does not exist, or another process has locked it.

        """
        self.folder = folder
        self.handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.is_entered = False
        """Whether `fork` has started a process in it."""

    @classmethod
    def make(cls, folder: str, limits: dict[str, str]) -> "BotGroup":
        """Create a group with the limits `memory_mb` and `processes` where it has controllers.

        Raises:
            OSError: the group cannot be created, or has no `cgroup.kill` (before Linux 5.14).

        """
        os.mkdir(folder)
        try:
            os.stat(f"{folder}/cgroup.kill")
            set_limits(folder, limits)
            return cls(folder)
        except OSError:
            os.rmdir(folder)
            raise

    def fork(self, libc: ctypes.CDLL) -> int:
        """Fork into the group; return 0 in the child, or -1 if the kernel refuses.

        To move a process into another group later would take the kernel 5 to 15 ms.
        """
        arguments = (ctypes.c_uint64 * 11)()
        arguments[0], arguments[4], arguments[10] = CLONE_INTO_CGROUP, SIGCHLD, self.handle
        pid = int(libc.syscall(SYS_CLONE3, arguments, ctypes.sizeof(arguments)))
        self.is_entered = pid >= 0
        return pid

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has killed one of its processes for the memory limit."""
        try:
            lines = read(f"{self.folder}/memory.events").decode().splitlines()
        except OSError:
            return False
        return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in lines)

    def cpu_s(self) -> float:
        """Return the processor time of all its processes in seconds, including ended ones."""
        return cpu_us(self.folder) / 1e6


def set_limits(folder: str, limits: dict[str, str]) -> None:
    """Set the limits `memory_mb` and `processes` of a group where it has the controllers."""
    wanted = {}
    if "memory_mb" in limits:
        wanted["memory.max"] = str(int(limits["memory_mb"]) << 20)
        wanted["memory.swap.max"] = "0"
        wanted["memory.oom.group"] = "1"
    if "processes" in limits:
        wanted["pids.max"] = str(int(limits["processes"]) + SPARE_TASKS)
    for name, value in wanted.items():
        if os.path.exists(f"{folder}/{name}"):
            _write(f"{folder}/{name}", value)


def cpu_us(folder: str) -> int:
    """Return the processor time of a group in microseconds; 0 if there is no such group."""
    try:
        return int(read(f"{folder}/cpu.stat").split()[1])  # usage_usec NUMBER
    except (OSError, IndexError, ValueError):
        return 0


def end_group(folder: str, patience_s: float) -> bool:
    """Kill all processes in a group and below it, and remove it; return whether it is gone.

    Tries at least once, and again for up to `patience_s` seconds.
    """
    if not os.path.isdir(folder):
        return True
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
    """Remove a group and its subgroups; return False if processes in them have not ended yet."""
    try:
        os.rmdir(folder)
        return True
    except FileNotFoundError:
        return True
    except OSError:
        pass
    try:
        with os.scandir(folder) as entries:
            below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in below:
            _remove(path)
        os.rmdir(folder)
        return True
    except FileNotFoundError:
        return True
    except OSError:  # a process in it has not ended yet
        return False


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
