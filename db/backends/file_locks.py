"""Locks beside a SQLite file: POSIX locks on the bytes of ``<database>.locks``.

While run 12 is in play, its process holds a lock on byte 12; jobs lock bytes far behind, which
need not exist. The kernel frees the lock however the process ends, so there are no stale locks.

POSIX locks belong to the process, and closing *any* descriptor of the file drops all of them.
So a process has one descriptor per file, shared by all its `FileLocks` objects, and closes it
with the last of them.
"""

import fcntl
import os
import struct
import threading
from dataclasses import dataclass, field

from db.backends.process_locks import LockKind, ProcessLocks
from db.companion_files import LOCKS
from db.errors import Unwritable

_FLOCK = "hhqqi"
"""`struct flock` of Linux: l_type, l_whence, l_start, l_len, l_pid."""
_FIRST_BYTES = {LockKind.RUN: 0, LockKind.JOB: 1 << 40}
"""The byte of number 0, by kind."""


@dataclass(slots=True)
class _LockFile:
    """The process's one descriptor of a lock file."""

    descriptor: int
    process: int
    users: int = 0
    locked_bytes: set[int] = field(default_factory=set)


_files: dict[str, _LockFile] = {}
_files_lock = threading.Lock()
"""Guards `_files`: threads open and close `FileLocks` objects of their own."""


class FileLocks(ProcessLocks):
    """The locks of one kind of one database file. Not inherited by child processes."""

    def __init__(self, database_path: str, kind: LockKind = LockKind.RUN) -> None:
        """Open the lock file of a SQLite database.

        Raises:
            Unwritable: the lock file cannot be created.

        """
        self._first_byte = _FIRST_BYTES[kind]
        self._path = os.path.realpath(database_path) + LOCKS
        with _files_lock:
            known = _files.get(self._path)
            if known is None or known.process != os.getpid():
                try:
                    descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
                except OSError as error:
                    raise Unwritable(
                        f"{self._path} cannot be written ({error.strerror}); "
                        "check the folder and its permissions, or choose another database"
                    ) from error
                known = _files[self._path] = _LockFile(descriptor, os.getpid())
            known.users += 1
        self._file = known
        self._open = True

    def try_acquire(self, number: int) -> bool:
        """Take a lock; return False if any process, this one included, holds it."""
        byte = self._first_byte + number
        if byte in self._file.locked_bytes:
            return False
        try:
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        self._file.locked_bytes.add(byte)
        return True

    def release(self, number: int) -> None:
        """Release a lock if this process holds it."""
        byte = self._first_byte + number
        if byte in self._file.locked_bytes:
            self._file.locked_bytes.discard(byte)
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, 1, byte)

    def holder(self, number: int) -> str | None:
        """Return the process that holds a lock, such as ``process 12``, or None."""
        byte = self._first_byte + number
        if byte in self._file.locked_bytes:
            return f"process {os.getpid()}"
        request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
        reply = fcntl.fcntl(self._file.descriptor, fcntl.F_GETLK, request)
        kind, _, _, _, process = struct.unpack(_FLOCK, reply)
        return None if kind == fcntl.F_UNLCK else f"process {process}"

    def close(self) -> None:
        """Close the lock file; the last `close` in the process frees all its locks."""
        if not self._open:
            return
        self._open = False
        with _files_lock:
            self._file.users -= 1
            if self._file.users == 0:
                os.close(self._file.descriptor)
                if _files.get(self._path) is self._file:
                    del _files[self._path]
