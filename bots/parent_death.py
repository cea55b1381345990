"""A child that dies with its parent, however that ends (Linux)."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent: int | None = None) -> None:
    """Have this process killed when the thread that started it ends.

    With `parent`, its process id, the process ends at once when that has died already.
    """
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)  # it died before the line above could tie us to it
