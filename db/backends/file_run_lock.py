"""Run locks beside a SQLite file: locks of the operating system, which die with their process.

One byte of ``<database>.locks``, at the offset of the run's number, is locked while the run
lives. The kernel frees it however the process ends, so there is no stale lock to clean up.

POSIX locks belong to the process, and closing *any* descriptor of the file drops all of them.
So a process keeps one descriptor per file, shared by all its `FileRunLock` objects, and never
closes it before the last of them.
"""

import fcntl
import os
import struct
import sys
import threading
from dataclasses import dataclass, field

from db.backends.run_lock import RunLock
from db.beside import LOCKS
from db.errors import Unwritable

_LINUX = "hhqqi"  # l_type, l_whence, l_start, l_len, l_pid
_OTHERS = "qqihh"  # l_start, l_len, l_pid, l_type, l_whence (the BSD family)


@dataclass(slots=True)
class _LockFile:
    """The process's one descriptor of a lock file."""

    descriptor: int
    process: int
    users: int = 0
    held: set[int] = field(default_factory=set)


_files: dict[str, _LockFile] = {}
_turn = threading.Lock()
"""Held while `_files` is looked at or changed: threads open and close their own `FileRunLock`."""


class FileRunLock(RunLock):
    """The run locks of one database file. Not inherited by child processes."""

    def __init__(self, database_path: str) -> None:
        """Use the lock file of a SQLite database.

        Raises:
            Unwritable: the lock file cannot be made beside the database.

        """
        self._path = os.path.realpath(database_path) + LOCKS
        with _turn:
            known = _files.get(self._path)
            if known is None or known.process != os.getpid():
                try:
                    descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
                except OSError as error:
                    raise Unwritable(
                        f"{self._path} cannot be written ({error.strerror}); "
                        "check the folder and its permissions, or choose another --db"
                    ) from error
                known = _files[self._path] = _LockFile(descriptor, os.getpid())
            known.users += 1
        self._file = known
        self._open = True

    def try_acquire(self, run_id: int) -> bool:
        """Take a run's lock unless anyone, this process included, holds it."""
        if run_id in self._file.held:
            return False
        try:
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, run_id)
        except (BlockingIOError, PermissionError):
            return False
        self._file.held.add(run_id)
        return True

    def release(self, run_id: int) -> None:
        """Give a run's lock back; nothing happens when this process does not hold it."""
        if run_id in self._file.held:
            self._file.held.discard(run_id)
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, 1, run_id)

    def holder(self, run_id: int) -> str | None:
        """The process that holds a run's lock, such as ``process 12``; None: the run is dead."""
        if run_id in self._file.held:
            return f"process {os.getpid()}"
        linux = sys.platform.startswith("linux")
        layout = _LINUX if linux else _OTHERS
        question = (
            struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, run_id, 1, 0)
            if linux
            else struct.pack(layout, run_id, 1, 0, fcntl.F_WRLCK, os.SEEK_SET)
        )
        answer = struct.unpack(layout, fcntl.fcntl(self._file.descriptor, fcntl.F_GETLK, question))
        kind, process = (answer[0], answer[4]) if linux else (answer[3], answer[2])
        return None if kind == fcntl.F_UNLCK else f"process {process}"

    def close(self) -> None:
        """Let go of the lock file; the last user of it in the process frees all its locks."""
        if not self._open:
            return
        self._open = False
        with _turn:
            self._file.users -= 1
            if self._file.users == 0:
                os.close(self._file.descriptor)
                if _files.get(self._path) is self._file:
                    del _files[self._path]
