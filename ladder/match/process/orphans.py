"""Orphans: processes of bots whose supervisor was killed, found among our children and killed.

A process that starts bots is a child subreaper (Linux 3.4): when a supervisor is killed, its
descendants become our children, whatever their session and environment. A child is not an orphan
if it is in `supervisors` or in our session, or if it is no supervisor and has not renounced
privileges.
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
"""How long orphans may take to die, and adopted supervisors to end their bots."""

supervisors: set[int] = set()
"""Process ids of the supervisors that this process has started and not yet reaped."""
start_lock = threading.Lock()
"""Held from the start of a supervisor until it is in `supervisors`."""
_adopting = 0
"""The process that called `adopt_orphans`: a forked child has to call it again."""


def adopt_orphans() -> None:
    """Make this process the parent of all orphans below it, from now on."""
    global _adopting
    if _adopting != os.getpid():
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _adopting = os.getpid()


def end_orphans() -> bool:
    """Kill and reap the orphans of bots and their descendants; return whether none is left.

    A supervisor whose harness was killed becomes our child, too. It ends its bot by itself, so it
    is killed only if it takes longer than PATIENCE_S.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with start_lock:
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
