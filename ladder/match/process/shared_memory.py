"""Memory that a bot has made and that need not be mapped by any of its processes.

A page of an anonymous file (memfd), of a file in /dev/shm or of a System V segment takes memory
whether or not a process maps it, and only mapped pages are in the resident memory of a process.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import os
import stat

from ladder.match.process.procfs import read


class SharedMemory:
    """Finds the shared memory of a family of processes.

    Not found: files of a tmpfs that the bot shares with others (/dev/shm without a sandbox) while
    no process of it has them open, and anonymous files that are mapped, hardly resident, and have
    no open descriptor.
    """

    def __init__(self) -> None:
        """Learn which file systems are kept in memory here."""
        self.ours = tmpfs_mounts("self")
        anonymous = os.memfd_create("probe")
        self.anonymous = os.fstat(anonymous).st_dev
        os.close(anonymous)
        self.seen: set[int] = set()
        """Process ids of the family so far, for the segments that they made."""

    def held_kb(self, pids: list[int]) -> int:
        """Memory of what the family holds open, has made or has mounted for itself, in KiB."""
        self.seen.update(pids)
        kept = {self.anonymous, *self.ours}
        files: dict[tuple[int, int], int] = {}
        mounts: dict[int, int] = {}
        for pid in pids:
            for device, point in tmpfs_mounts(pid).items():
                if device not in self.ours and device not in mounts:
                    mounts[device] = used_kb(f"/proc/{pid}/root{point}", device)
            try:
                descriptors = os.listdir(f"/proc/{pid}/fd")
            except OSError:  # it has ended
                continue
            for descriptor in descriptors:
                try:
                    found = os.stat(f"/proc/{pid}/fd/{descriptor}")
                except OSError:  # closed meanwhile
                    continue
                if stat.S_ISREG(found.st_mode) and found.st_dev in kept:
                    files[found.st_dev, found.st_ino] = found.st_blocks // 2
        return sum(files.values()) + sum(mounts.values()) + self.segments_kb()

    def segments_kb(self) -> int:
        """Memory of the System V segments that processes of the family made, in KiB."""
        try:
            _, *lines = read("/proc/sysvipc/shm").splitlines()
        except (OSError, ValueError):
            return 0
        # key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap
        rows = [list(map(int, line.split())) for line in lines]
        return sum(row[14] // 1024 for row in rows if len(row) > 14 and row[4] in self.seen)


def tmpfs_mounts(pid: int | str) -> dict[int, str]:
    """The file systems in memory that a process sees: their devices, and where they are mounted."""
    found = {}
    try:
        with open(f"/proc/{pid}/mountinfo", encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    for line in lines:
        before, _, after = line.partition(" - ")
        if after.startswith("tmpfs "):
            device, point = before.split()[2], before.split()[4]
            major, _, minor = device.partition(":")
            found[os.makedev(int(major), int(minor))] = point
    return found


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
