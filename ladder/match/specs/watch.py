"""Files that other processes open in a folder, reported by the kernel (inotify)."""

import ctypes
import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

from ladder.match.specs.folder_files import is_environment

IN_OPEN, IN_ISDIR = 0x20, 0x40000000
IN_NONBLOCK = os.O_NONBLOCK
MOST_FOLDERS = 200
"""Most subfolders that are watched."""
_HEADER = struct.Struct("iIII")


class OpenWatch:
    """The names of the files below a folder that are opened while the watch lasts.

    Nothing is reported where the kernel cannot watch.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = -1
        self._places: dict[int, str] = {}
        self._opened: dict[str, None] = {}

    def __enter__(self) -> Self:
        self._descriptor = self._libc.inotify_init1(IN_NONBLOCK | os.O_CLOEXEC)
        for place, names, _ in os.walk(self._folder):
            names[:] = [name for name in names if not is_environment(os.path.join(place, name))]
            if self._descriptor < 0 or len(self._places) >= MOST_FOLDERS:
                break
            watch = self._libc.inotify_add_watch(self._descriptor, os.fsencode(place), IN_OPEN)
            if watch >= 0:
                self._places[watch] = os.path.relpath(place, self._folder)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._descriptor >= 0:
            self.opened()
            os.close(self._descriptor)
            self._descriptor = -1

    def opened(self) -> list[str]:
        """Return the files that were opened so far, relative to the folder."""
        while self._descriptor >= 0:
            try:
                events = os.read(self._descriptor, 65536)
            except BlockingIOError:
                break
            while events:
                watch, mask, _, length = _HEADER.unpack_from(events)
                name = os.fsdecode(events[_HEADER.size : _HEADER.size + length].rstrip(b"\0"))
                events = events[_HEADER.size + length :]
                if name and not mask & IN_ISDIR and watch in self._places:
                    path = os.path.normpath(os.path.join(self._places[watch], name))
                    self._opened.setdefault(path)
        return list(self._opened)
