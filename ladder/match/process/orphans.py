"""Processes of bots that have outlived their supervisor: found among our own children, and ended.

A process that starts bots is a child subreaper (Linux 3.4): when a supervisor is killed, what was
below it becomes our child, in whatever session and with whatever environment. It cannot be taken
for a child of our own making: that is in our session, or has not renounced privileges, and is no
supervisor.
"""

import contextlib
import ctypes
import os
import signal
import threading
import time

from ladder.match.process.procfs import children, descendants, read
from ladder.match.process.supervisor import NAME, PR_SET_CHILD_SUBREAPER

PATIENCE_S = 1.0
"""How long orphans may take to die, and supervisors whose harness has ended to end their bots."""

supervisors: set[int] = set()
"""Process ids of the supervisors that this process has started and not yet waited for."""
lock = threading.Lock()
"""Held while a supervisor is started and entered above."""
_adopting = 0
"""The process that `adopt_orphans` was called in."""


def adopt_orphans() -> None:
    """Become the parent of every orphan below this process, from now on."""
    global _adopting
    if _adopting != os.getpid():
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _adopting = os.getpid()


def end_orphans() -> bool:
    """Kill and reap the orphans that bots have left us, with all below them; True: none is left.

    A supervisor whose harness was killed becomes our child, too. It is ending its bot, and is only
    waited for, unless it does not come to an end.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with lock:
            found = [pid for pid in children(os.getpid()) if _is_orphan(pid)]
        if not found:
            return True
        late = time.monotonic() > deadline
        for pid in found:
            if late or not _is_supervisor(pid):
                for each in (*descendants(pid), pid):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(each, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > deadline + PATIENCE_S:
            return False
        time.sleep(0.001)


def _is_orphan(pid: int) -> bool:
    if pid in supervisors:
        return False
    try:
        return os.getsid(pid) != os.getsid(0) and (_has_renounced(pid) or _is_supervisor(pid))
    except OSError:  # it has been reaped
        return False


def _has_renounced(pid: int) -> bool:
    return b"\nNoNewPrivs:\t1" in read(f"/proc/{pid}/status")


def _is_supervisor(pid: int) -> bool:
    try:
        return read(f"/proc/{pid}/comm").strip() == NAME
    except OSError:
        return False
