"""Run locks beside a SQLite file: POSIX locks on the bytes of ``<database>.locks``.

While run 12 is in play, its process holds a lock on byte 12. The kernel frees the lock however the
process ends, so there are no stale locks.

POSIX locks belong to the process, and closing *any* descriptor of the file drops all of them.
So a process has one descriptor per file, shared by all its `FileRunLocks` objects, and closes it
with the last of them.
"""

import fcntl
import os
import struct
import threading
from dataclasses import dataclass, field

from db.backends.run_lock import RunLocks
from db.companion_files import LOCKS
from db.errors import Unwritable

_FLOCK = "hhqqi"
"""`struct flock` of Linux: l_type, l_whence, l_start, l_len, l_pid."""


@dataclass(slots=True)
class _LockFile:
    """The process's one descriptor of a lock file."""

    descriptor: int
    process: int
    users: int = 0
    locked_runs: set[int] = field(default_factory=set)


_files: dict[str, _LockFile] = {}
_files_lock = threading.Lock()
"""Guards `_files`: threads open and close `FileRunLocks` objects of their own."""


class FileRunLocks(RunLocks):
    """The run locks of one database file. Not inherited by child processes."""

    def __init__(self, database_path: str) -> None:
        """Open the lock file of a SQLite database.

        Raises:
            Unwritable: the lock file cannot be created.

        """
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

    def try_acquire(self, run_id: int) -> bool:
        """Take a run's lock; return False if any process, this one included, holds it."""
        if run_id in self._file.locked_runs:
            return False
        try:
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, run_id)
        except (BlockingIOError, PermissionError):
            return False
        self._file.locked_runs.add(run_id)
        return True

    def release(self, run_id: int) -> None:
        """Release a run's lock if this process holds it."""
        if run_id in self._file.locked_runs:
            self._file.locked_runs.discard(run_id)
            fcntl.lockf(self._file.descriptor, fcntl.LOCK_UN, 1, run_id)

    def holder(self, run_id: int) -> str | None:
        """Return the process that holds a run's lock, such as ``process 12``, or None."""
        if run_id in self._file.locked_runs:
            return f"process {os.getpid()}"
        request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, run_id, 1, 0)
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
