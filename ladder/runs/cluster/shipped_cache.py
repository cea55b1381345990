"""The cache of bots that were sent to this machine, a bounded LRU cache.

The modification time of an entry is the time of its last use. A process that plays with an entry
holds a file lock on it, which ends with the process, so that no entry in use is removed.
"""

import contextlib
import fcntl
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.cache import cache_root

MOST_BYTES = 4 << 30
"""Most bytes of all archives together."""
OLDEST_S = 30 * 86_400.0
"""Seconds without use after which an entry is removed."""
IN_USE_S = 3600.0
"""Seconds after its last use in which an entry is never removed: its run may only have paused."""


def shipped_folder() -> Path:
    """Return the folder of everything that was sent to this machine."""
    return cache_root() / "shipped"


def archives_folder() -> Path:
    """Return the folder of unpacked archives on this machine."""
    return shipped_folder() / "archives"


def mark_used(entries: Iterable[Path]) -> None:
    """Mark entries as used now; missing ones are skipped."""
    for entry in entries:
        with contextlib.suppress(FileNotFoundError):
            os.utime(entry)


class CacheLock:
    """A lock that keeps entries from being removed until it is closed or the process ends."""

    def __init__(self, entries: Iterable[Path]) -> None:
        """Lock entries. Raises OSError if one is missing."""
        self._entries = tuple(entries)
        self._descriptors: list[int] = []
        try:
            for entry in self._entries:
                self._descriptors.append(os.open(entry, os.O_RDONLY | os.O_CLOEXEC))
                fcntl.flock(self._descriptors[-1], fcntl.LOCK_SH)
                entry.stat()  # raises if it was removed while we waited for the lock
        except OSError:
            self.close()
            raise
        self._marked = 0.0
        self.mark_used()

    def mark_used(self) -> None:
        """Mark the entries as used, at most every ten minutes."""
        now = time.monotonic()
        if now > self._marked + IN_USE_S / 6 or not self._marked:
            self._marked = now
            mark_used(self._entries)

    def close(self) -> None:
        """Unlock the entries."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()


def clean_cache(*, most_bytes: int = MOST_BYTES, oldest_s: float = OLDEST_S) -> list[Path]:
    """Remove entries that are too old, and the oldest archives beyond a size; return them.

    Args:
        most_bytes: Most bytes of all archives together.
        oldest_s: Seconds since the last use after which an entry is removed.

    """
    now, removed = time.time(), []
    archives = sorted(_entries(archives_folder()), key=lambda entry: entry[1])
    sizes = {place: _size(place) for place, _ in archives}
    size = sum(sizes.values())
    for place, used in archives:
        if now < used + IN_USE_S or not (size > most_bytes or now > used + oldest_s):
            continue
        if _remove(place):
            removed.append(place)
            size -= sizes[place]
    return removed


def _entries(folder: Path) -> Iterator[tuple[Path, float]]:
    """Yield each entry of a folder, incomplete ones included, and the time of its last use."""
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as found:
        for entry in list(found):
            with contextlib.suppress(FileNotFoundError):
                yield folder / entry.name, entry.stat(follow_symlinks=False).st_mtime


def _size(place: Path) -> int:
    return sum(
        path.lstat().st_size
        for path in place.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def _remove(place: Path) -> bool:
    """Remove an entry unless it is locked; return whether it is gone."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(place, ignore_errors=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return not place.exists()
