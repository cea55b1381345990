# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""Control groups (cgroup version 2): one for each bot, where this user may make them.

A group holds every process that a bot starts, whatever session, parent or environment it has. One
write ends them all (`cgroup.kill`, Linux 5.14), one file has the processor time of all of them, the
ended ones included (`cpu.stat`). Where the controllers `memory` and `pids` are delegated to us, the
kernel itself holds the limits, over all memory that it can charge: files of a tmpfs or ramfs, and
the buffers of sockets and pipes too.

Groups are made below the group that this process is in and nowhere else, so that bots stay inside
the limits that the ladder itself was given. Only the root group may have both processes and groups
with controllers below it ("no internal processes", cgroups(7)); elsewhere the processes of the
ladder move into a group beside those of the bots, if no others are in the way.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import ctypes
import fcntl
import os
import time

from ladder.match.process.procfs import read, stat_fields

LEAF = "ladder-harness"
"""The group of the ladder's own processes, where they cannot stay in the one they were given."""
CONTROLLERS = ("memory", "pids")
"""Those that are used. Not `cpu`: it would change a bot's share of the processor."""
SPARE_TASKS = 1024
"""Room for threads above the limit of processes, which only counts processes."""
MOUNTS, OWN = "/proc/self/mountinfo", "/proc/self/cgroup"
CLONE_INTO_CGROUP = 0x200000000
SYS_CLONE3 = 435
SIGCHLD = 17


class Place:
    """A group below which each bot gets one: its folder, and the controllers of its children."""

    def __init__(self, folder: str, controllers: tuple[str, ...]) -> None:
        self.folder = folder
        self.controllers = controllers


def find_place(mounts: str = MOUNTS, own: str = OWN) -> Place | None:
    """Return the place for the groups of bots, or None if this user may make no groups.

    Changes nothing; `prepare_place` has more controllers where they have to be enabled first.

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
    return Place(folder, _enabled(folder))


def can_enable(place: Place) -> tuple[str, ...]:
    """Return the controllers that `prepare_place` would have, as far as can be seen."""
    folder = place.folder
    try:
        offered = read(f"{folder}/cgroup.controllers").decode().split()
    except OSError:
        offered = []
    if not os.access(f"{folder}/cgroup.subtree_control", os.W_OK):
        offered = []
    if not (_is_root(folder) or _only_ours(folder)):
        offered = []
    return tuple(name for name in CONTROLLERS if name in (*place.controllers, *offered))


def prepare_place(place: Place) -> Place:
    """Enable the controllers that can be, moving this command's processes out of the way."""
    folder = place.folder
    for name in can_enable(place):
        if name in place.controllers:
            continue
        try:
            if not _is_root(folder):
                _move_down(folder)
            _write(f"{folder}/cgroup.subtree_control", f"+{name}")
        except OSError:  # it is not delegated, or others have come in the way
            continue
    return Place(folder, _enabled(folder))


def _is_root(folder: str) -> bool:
    """Whether a group is the root of the hierarchy, which may hold processes as well as groups."""
    return not os.path.exists(f"{folder}/cgroup.type")


def _only_ours(folder: str) -> bool:
    """Whether all processes that are directly in a group belong to this command."""
    try:
        return all(os.getpgid(pid) == os.getpgid(0) for pid in _members(folder))
    except OSError:  # one has ended meanwhile, or they cannot be read
        return False


def _move_down(folder: str) -> None:
    """Move the processes that are directly in a group into one below it."""
    for pid in _members(folder):
        os.makedirs(f"{folder}/{LEAF}", exist_ok=True)
        _write(f"{folder}/{LEAF}/cgroup.procs", str(pid))


def _members(folder: str) -> list[int]:
    """The processes that are directly in a group."""
    with open(f"{folder}/cgroup.procs", "rb") as file:
        return list(map(int, file.read().split()))


def cpu_quota(mounts: str = MOUNTS, own: str = OWN) -> float | None:
    """Return how many processors' time the groups of this process may use; None without a limit.

    Both versions are read, and the groups above as well, as far as they can be seen. Sets of
    processors (cpusets) need no reading: the kernel applies them to the affinity of processes.

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
    """Return the folders of this process's group and of those above it, as far as they are shown.

    Args:
        mounts: the file that lists the mounted file systems.
        own: the file that names the control groups of this process.
        controller: of a hierarchy of version 1; "": that of version 2.

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
    """The controllers that the groups below a folder have, of those that are used."""
    try:
        names = read(f"{folder}/cgroup.subtree_control").decode().split()
    except OSError:
        return ()
    return tuple(name for name in CONTROLLERS if name in names)


class BotGroup:
    """The control group of one bot."""

    def __init__(self, folder: str) -> None:
        """Hold on to the group of that folder, which exists, by a lock that ends with us.

        Raises:
            OSError: it does not, or is held by another process.

        """
        self.folder = folder
        self.handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.is_entered = False
        """Whether `fork` has put a process into it."""

    @classmethod
    def make(cls, folder: str, limits: dict[str, str]) -> "BotGroup":
        """Make a group with the limits `memory_mb` and `processes`, as far as the kernel has them.

        Raises:
            OSError: it cannot be made, or cannot be ended at once (before Linux 5.14).

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
        """Fork into the group; 0 in the child, -1 if the kernel cannot or the group is not ours.

        To move a process from one group into another takes the kernel 5 to 15 ms, this nothing.
        """
        arguments = (ctypes.c_uint64 * 11)()
        arguments[0], arguments[4], arguments[10] = CLONE_INTO_CGROUP, SIGCHLD, self.handle
        pid = int(libc.syscall(SYS_CLONE3, arguments, ctypes.sizeof(arguments)))
        self.is_entered = pid >= 0
        return pid

    def has(self, pid: int) -> bool:
        """Whether a process is in the group or below it; True also when it has ended."""
        try:
            lines = read(f"/proc/{pid}/cgroup").decode("utf-8", "replace").splitlines()
            state = stat_fields(f"/proc/{pid}")[0]
        except (OSError, IndexError):
            return True
        name = os.path.basename(self.folder)
        path = next((line[3:] for line in lines if line.startswith("0::")), "")
        return name in path.split("/") or state in (b"Z", b"X")

    def all_in(self, pids: list[int]) -> bool:
        """Whether all of these processes, the ended ones aside, are in the group or below it."""
        try:
            members = _members(self.folder)
        except OSError:
            return True
        return all(pid in members or self.has(pid) for pid in pids)

    def memory_kb(self) -> int:
        """Memory charged to the group in KiB, caches of files included; 0 if it is not counted."""
        try:
            return int(read(f"{self.folder}/memory.current")) // 1024
        except (OSError, ValueError):
            return 0

    def was_out_of_memory(self) -> bool:
        """Whether the kernel has killed one of its processes for the memory limit."""
        try:
            lines = read(f"{self.folder}/memory.events").decode().splitlines()
        except OSError:
            return False
        return any(line.startswith("oom_kill ") and line != "oom_kill 0" for line in lines)

    def cpu_s(self) -> float:
        """Processor time of all its processes so far, the ended ones included, in seconds."""
        return cpu_us(self.folder) / 1e6


def set_limits(folder: str, limits: dict[str, str]) -> None:
    """Write the limits `memory_mb` and `processes` into the files that a group has for them."""
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
    """Processor time of a group in microseconds; 0 if there is no such group."""
    try:
        return int(read(f"{folder}/cpu.stat").split()[1])  # usage_usec NUMBER
    except (OSError, IndexError, ValueError):
        return 0


def end_group(folder: str, patience_s: float) -> bool:
    """Kill all processes in a group and below it, and remove it; True if nothing of it is left."""
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
    """Remove a group without processes, and those that were made below it."""
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
