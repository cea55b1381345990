"""One processor for one pair: a worker and its bots stay on a CPU that no other worker uses.

A question and its answer then never wake another processor, which costs more than all the rest of
a null game (measured: 50 us a ply against 11), and a bot with many threads gets no more of the
machine than its opponent.
"""

import fcntl
import os
import tempfile
from pathlib import Path


def claim_cpu(folder: Path | None = None) -> int | None:
    """Pin this process to a CPU that no other worker on this machine has claimed.

    What it starts inherits that. The claim is a lock that the kernel frees when the process ends.
    Returns None, and pins nothing, when all CPUs that the process may use are taken.
    """
    place = Path(tempfile.gettempdir()) if folder is None else folder
    for cpu in sorted(os.sched_getaffinity(0)):
        path = place / f"ladder-cpu-{os.geteuid()}-{cpu}.lock"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None  # no place for locks, so no telling who uses which CPU
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            continue
        os.sched_setaffinity(0, {cpu})
        return cpu  # the descriptor stays open, and with it the lock, as long as the process
    return None


def allowed_cpus() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))
