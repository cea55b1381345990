# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""Memory that a bot has taken and that need not be mapped by any of its processes.

A page of an anonymous file (memfd), of a file in /dev/shm, of a System V segment, or in the buffer
of a socket or pipe takes memory whether or not a process maps it, and only mapped pages are in the
resident memory of a process.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import ctypes
import fcntl
import os
import stat

from ladder.match.process.procfs import read

TMPFS, RAMFS, NSFS = 0x01021994, 0x858458F6, 0x6E736673
"""Numbers of file systems, of statfs(2)."""
SYS_PIDFD_GETFD = 438
SOL_SOCKET, SO_LINGER, SO_MEMINFO = 1, 13, 55
RMEM_ALLOC, WMEM_ALLOC, WMEM_QUEUED = 0, 2, 5
"""Places in the answer of SO_MEMINFO, in bytes."""
FIONREAD = 0x541B


class Uncountable(Exception):
    """The bot takes memory whose size cannot be read; the message names the means."""


class SharedMemory:
    """Finds the memory of a family of processes that is not, or need not be, resident in one.

    Not found: files of a tmpfs that the bot shares with others (/dev/shm without a sandbox) while
    no process of it has them open, anonymous files that are mapped, hardly resident, and have no
    open descriptor, descriptors that lie in the queue of a socket, a tmpfs that another file system
    was mounted over, System V segments in an IPC namespace of its own, and whatever else the kernel
    keeps for a process. A control group with a memory controller counts all of these.
    """

    def __init__(self) -> None:
        """Learn which file systems are kept in memory here."""
        self.ours = memory_mounts("self")
        anonymous = os.memfd_create("probe")
        self.anonymous = os.fstat(anonymous).st_dev
        os.close(anonymous)
        self.libc = ctypes.CDLL(None)
        self.others: set[int] = set()
        """Devices of file systems that are not kept in memory."""
        self.seen: set[int] = set()
        """Process ids of the family so far, for the segments that they made."""

    def held_kb(self, pids: list[int]) -> int:
        """Memory of what the family holds open, has made or has mounted for itself, in KiB.

        Raises:
            Uncountable: it uses a ramfs, or keeps a mount namespace that no process is in.

        """
        self.seen.update(pids)
        kept = {self.anonymous, *self.ours}
        files: dict[tuple[int, int], int] = {}
        mounts: dict[int, int] = {}
        queues: dict[int, tuple[int, int]] = {}
        for pid in pids:
            for device, (kind, point) in memory_mounts(pid).items():
                if device not in self.ours and device not in mounts:
                    check_kind(kind)
                    mounts[device] = used_kb(f"/proc/{pid}/root{point}", device)
            try:
                names = os.listdir(f"/proc/{pid}/fd")
            except OSError:  # it has ended
                continue
            paths = [f"/proc/{pid}/fd/{name}" for name in names]
            for path in (*paths, f"/proc/{pid}/cwd", f"/proc/{pid}/root"):
                try:
                    found = os.stat(path)
                except OSError:  # closed meanwhile
                    continue
                mode, device = found.st_mode, found.st_dev
                if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                    queues[found.st_ino] = pid, int(path.rpartition("/")[2])
                elif device in kept:
                    if stat.S_ISREG(mode):
                        files[device, found.st_ino] = found.st_blocks // 2
                elif device not in mounts and device not in self.others:
                    self.look_at(path, device, found.st_ino, pids, mounts)
        return (
            sum(files.values())
            + sum(mounts.values())
            + self.segments_kb()
            + queued_kb(self.libc, queues)
        )

    def look_at(
        self, path: str, device: int, inode: int, pids: list[int], mounts: dict[int, int]
    ) -> None:
        """Find out what a file system is that is mounted nowhere in sight of the family."""
        kind = kind_of(self.libc, path)
        if kind == TMPFS:
            mounts[device] = used_kb(path, device)
        elif kind == RAMFS:
            check_kind("ramfs")
        elif kind == NSFS:
            check_namespace(path, inode, pids)
        else:
            self.others.add(device)

    def segments_kb(self) -> int:
        """Memory of the System V segments that processes of the family made, in KiB."""
        try:
            _, *lines = read("/proc/sysvipc/shm").splitlines()
        except (OSError, ValueError):
            return 0
        # key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
        rows = [list(map(int, line.split())) for line in lines]
        return sum(row[14] // 1024 for row in rows if len(row) > 14 and row[4] in self.seen)


def check_kind(kind: str) -> None:
    """Refuse the kind of file system whose size the kernel does not know."""
    if kind == "ramfs":
        raise Uncountable("mounting a ramfs, which has no size that could be counted or limited")


def check_namespace(path: str, inode: int, pids: list[int]) -> None:
    """Refuse a mount namespace that is held open without any process in it."""
    try:
        if not os.readlink(path).startswith("mnt:"):
            return
    except OSError:
        return
    for pid in ("self", *pids):
        try:
            if os.stat(f"/proc/{pid}/ns/mnt").st_ino == inode:
                return
        except OSError:  # it has ended
            continue
    raise Uncountable("keeping a mount namespace open that no process of it is in")


def memory_mounts(pid: int | str) -> dict[int, tuple[str, str]]:
    """The file systems in memory that a process sees: by device their kinds and mount points."""
    found = {}
    try:
        with open(f"/proc/{pid}/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    for line in lines:
        before, _, after = line.partition(" - ")
        kind = after.partition(" ")[0]
        if kind in ("tmpfs", "ramfs"):
            device, point = before.split()[2], before.split()[4]
            major, _, minor = device.partition(":")
            found[os.makedev(int(major), int(minor))] = kind, point
    return found


def kind_of(libc: ctypes.CDLL, path: str) -> int:
    """The number of the kind of file system that a file lies in; 0 if it is gone."""
    answer = (ctypes.c_long * 32)()  # struct statfs takes 15 of them
    return 0 if libc.statfs(path.encode(), answer) else answer[0] & 0xFFFFFFFF


def queued_kb(libc: ctypes.CDLL, queues: dict[int, tuple[int, int]]) -> int:
    """Memory of what lies in sockets and pipes unread, in KiB.

    What was sent through a socket is on its sender's account, if that is still open, and is also
    waiting in the receiver: the larger of the two sums is taken.

    Args:
        libc: the C library.
        queues: by inode a process that has the socket or pipe open, and its descriptor.

    """
    charged = waiting = 0
    handles: dict[int, int] = {}
    try:
        for pid, descriptor in queues.values():
            if pid not in handles:
                try:
                    handles[pid] = os.pidfd_open(pid)
                except OSError:  # it has ended
                    continue
            copy = libc.syscall(SYS_PIDFD_GETFD, handles[pid], descriptor, 0)
            if copy < 0:  # closed meanwhile
                continue
            memory = (ctypes.c_uint32 * 16)()
            size = ctypes.c_uint32(ctypes.sizeof(memory))
            if libc.getsockopt(copy, SOL_SOCKET, SO_MEMINFO, memory, ctypes.byref(size)) == 0:
                charged += memory[RMEM_ALLOC] + max(memory[WMEM_ALLOC], memory[WMEM_QUEUED])
                # Ours may be the last descriptor by now, and its closing must not wait.
                libc.setsockopt(copy, SOL_SOCKET, SO_LINGER, ctypes.byref(ctypes.c_uint64(0)), 8)
            try:
                waiting += int.from_bytes(fcntl.ioctl(copy, FIONREAD, bytes(4)), "little")
            except OSError:  # nothing can be read from it, such as a listening socket
                pass
            os.close(copy)
    finally:
        for handle in handles.values():
            os.close(handle)
    return max(charged, waiting) // 1024


def used_kb(place: str, device: int) -> int:
    """Used space of the file system at a place, in KiB; 0 when another one lies over it."""
    try:
        if os.stat(place).st_dev != device:
            return 0
        told = os.statvfs(place)
    except OSError:
        return 0
    return (told.f_blocks - told.f_bfree) * told.f_frsize // 1024


def mapped_kb(pids: list[int]) -> int:
    """The shared part of the processes' resident memory, in KiB, once for each that maps it."""
    total = 0
    for pid in pids:
        try:
            total += int(read(f"/proc/{pid}/status").split(b"\nRssShmem:")[1].split()[0])
        except (OSError, IndexError):
            continue
    return total
