"""The cache of bots that have travelled to this machine: bounded, the least recently used go first.

The time of an entry's last change tells when it was last used. Who plays with an entry holds a lock
of the operating system on it, which ends with the process, so that nothing in use is ever removed.
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
"""Of all archives together."""
OLDEST_S = 30 * 86_400.0
"""An entry that was not used for so long goes."""
IN_USE_S = 3600.0
"""An entry that was used so lately stays: its run may only have paused."""


def archives_folder() -> Path:
    """The folder of unpacked archives on this machine."""
    return cache_root() / "travelled" / "archives"


def manifests_folder() -> Path:
    """The folder of runs' kits on this machine."""
    return cache_root() / "travelled" / "kits"


def mark_used(entries: Iterable[Path]) -> None:
    """Note that entries are used now; those that are not there are passed over."""
    for entry in entries:
        with contextlib.suppress(FileNotFoundError):
            os.utime(entry)


class CacheLock:
    """Entries that nobody may remove as long as this object is open and the process lives."""

    def __init__(self, entries: Iterable[Path]) -> None:
        """Take them. Raises OSError when one is not there."""
        self._entries = tuple(entries)
        self._descriptors: list[int] = []
        try:
            for entry in self._entries:
                self._descriptors.append(os.open(entry, os.O_RDONLY | os.O_CLOEXEC))
                fcntl.flock(self._descriptors[-1], fcntl.LOCK_SH)
                entry.stat()  # or it was removed while we waited for the lock
        except OSError:
            self.close()
            raise
        self._marked = 0.0
        self.use()

    def use(self) -> None:
        """Note now and then that the entries are used."""
        now = time.monotonic()
        if now > self._marked + IN_USE_S / 6 or not self._marked:
            self._marked = now
            mark_used(self._entries)

    def close(self) -> None:
        """Let go of them."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors.clear()


def clean_cache(*, most_bytes: int = MOST_BYTES, oldest_s: float = OLDEST_S) -> list[Path]:
    """Remove what is too old, and of the archives what is too much; what was removed.

    Args:
        most_bytes: of all archives together.
        oldest_s: the age, in seconds since its last use, at which an entry goes.

    """
    now, removed = time.time(), []
    archives = sorted(_entries(archives_folder()), key=lambda entry: entry[1])
    sizes = {place: _size(place) for place, _ in archives}
    size = sum(sizes.values())
    for place, used in [*archives, *_entries(manifests_folder())]:
        is_too_much = size > most_bytes and place in sizes
        if now < used + IN_USE_S or not (is_too_much or now > used + oldest_s):
            continue
        if _remove(place):
            removed.append(place)
            size -= sizes.get(place, 0)
    return removed


def _entries(folder: Path) -> Iterator[tuple[Path, float]]:
    """Each entry of a folder, also what was left half written, and when it was last used."""
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
    """Remove an entry unless somebody holds it; whether it is gone."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return not place.exists()
