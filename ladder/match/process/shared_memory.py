# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""Memory of a bot that no process needs to map: files in memory, segments, sockets and pipes.

A page of an anonymous file (memfd), of a file in /dev/shm, of a System V segment, or in the buffer
of a socket or pipe takes memory even if no process maps it, while the resident memory of a process
holds only mapped pages.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import ctypes
import fcntl
import os
import stat

from ladder.match.process.procfs import read

TMPFS, RAMFS, NSFS = 0x01021994, 0x858458F6, 0x6E736673
"""Types of file systems in statfs(2)."""
SYS_PIDFD_GETFD = 438
SOL_SOCKET, SO_LINGER, SO_MEMINFO = 1, 13, 55
RMEM_ALLOC, WMEM_ALLOC, WMEM_QUEUED = 0, 2, 5
"""Indices of numbers of bytes in the answer of SO_MEMINFO."""
FIONREAD = 0x541B


class Uncountable(Exception):
    """The bot takes memory whose size cannot be read, in the way that the message names."""


class SharedMemory:
    """A measurement of a bot's memory that its processes need not map.

    It misses

    - files of a tmpfs that the bot shares with others (/dev/shm without a sandbox) while none of
      its processes has them open,
    - anonymous files that are mapped, hardly resident, and have no open descriptor,
    - descriptors in the queue of a socket,
    - a tmpfs over which another file system was mounted,
    - System V segments in an IPC namespace of the bot's own,
    - other memory that the kernel keeps for a process.

    A control group with a memory controller counts all of these.
    """

    def __init__(self) -> None:
        """Find the file systems in memory that this process sees."""
        self.ours = memory_mounts("self")
        anonymous = os.memfd_create("probe")
        self.anonymous = os.fstat(anonymous).st_dev
        os.close(anonymous)
        self.libc = ctypes.CDLL(None)
        self.others: set[int] = set()
        """Devices of file systems that are not in memory."""
        self.all_pids: set[int] = set()
        """Process ids of the bot so far, by which its segments are found."""

    def total_kb(self, pids: list[int]) -> int:
        """Return the memory of files, mounts, segments, sockets and pipes of processes, in KiB.

        Raises:
            Uncountable: the bot uses a ramfs, or keeps a mount namespace that no process is in.

        """
        self.all_pids.update(pids)
        in_memory = {self.anonymous, *self.ours}
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
                elif device in in_memory:
                    if stat.S_ISREG(mode):
                        files[device, found.st_ino] = found.st_blocks // 2
                elif device not in mounts and device not in self.others:
                    self.classify(path, device, found.st_ino, pids, mounts)
        return (
            sum(files.values())
            + sum(mounts.values())
            + self.segments_kb()
            + queued_kb(self.libc, queues)
        )

    def classify(
        self, path: str, device: int, inode: int, pids: list[int], mounts: dict[int, int]
    ) -> None:
        """Classify a file system that no process of the bot sees as mounted.

        Args:
            path: an open file on it.
            device: its device.
            inode: the inode of the file.
            pids: the processes of the bot.
            mounts: KiB by device; a file system in memory is added.

        """
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
        """Return the memory of System V segments that processes of the bot created, in KiB."""
        try:
            _, *lines = read("/proc/sysvipc/shm").splitlines()
        except (OSError, ValueError):
            return 0
        # key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
        rows = [list(map(int, line.split())) for line in lines]
        return sum(row[14] // 1024 for row in rows if len(row) > 14 and row[4] in self.all_pids)


def check_kind(kind: str) -> None:
    """Raise `Uncountable` for a ramfs, whose size the kernel does not know."""
    if kind == "ramfs":
        raise Uncountable("mounting a ramfs, which has no size that could be counted or limited")


def check_namespace(path: str, inode: int, pids: list[int]) -> None:
    """Raise `Uncountable` for a mount namespace that is open without any process in it."""
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
    raise Uncountable("keeping a mount namespace open that none of its processes is in")


def memory_mounts(pid: int | str) -> dict[int, tuple[str, str]]:
    """Return kind and mount point of the file systems in memory that a process sees, by device."""
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
    """Return the type of a file's file system as in statfs(2), or 0 if the file is gone."""
    answer = (ctypes.c_long * 32)()  # struct statfs takes 15 of these
    return 0 if libc.statfs(path.encode(), answer) else answer[0] & 0xFFFFFFFF


def queued_kb(libc: ctypes.CDLL, queues: dict[int, tuple[int, int]]) -> int:
    """Return the memory of unread data in sockets and pipes, in KiB.

    Data in a socket is charged to its sender while that is open, and also waits in the receiver, so
    the larger of the two sums counts.

    Args:
        libc: the C library.
        queues: by inode, a process that has the socket or pipe open, and its descriptor.

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
                # If this is the last descriptor by now, closing it must not wait for the data.
                libc.setsockopt(copy, SOL_SOCKET, SO_LINGER, ctypes.byref(ctypes.c_uint64(0)), 8)
            try:
                waiting += int.from_bytes(fcntl.ioctl(copy, FIONREAD, bytes(4)), "little")
            except OSError:  # not readable, such as a listening socket
                pass
            os.close(copy)
    finally:
        for handle in handles.values():
            os.close(handle)
    return max(charged, waiting) // 1024


def used_kb(place: str, device: int) -> int:
    """Return the used space of a file system, in KiB; 0 if another one is mounted over it."""
    try:
        if os.stat(place).st_dev != device:
            return 0
        status = os.statvfs(place)
    except OSError:
        return 0
    return (status.f_blocks - status.f_bfree) * status.f_frsize // 1024


def mapped_kb(pids: list[int]) -> int:
    """Return the shared resident memory in KiB; a page counts once for each process mapping it."""
    total = 0
    for pid in pids:
        try:
            total += int(read(f"/proc/{pid}/status").split(b"\nRssShmem:")[1].split()[0])
        except (OSError, IndexError):
            continue
    return total
