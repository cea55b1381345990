"""Faults of the machine, which are charged to no bot: the pair is played again."""

import errno

from ladder.errors import MachineStalled

FREE_MACHINE = "stop other programs, play fewer pairs at a time or allow more time per move"
"""Advice about a machine that is too busy or has too little memory."""
REMEDIES = {
    errno.EMFILE: "allow more open files (ulimit -n)",
    errno.ENFILE: "close other programs, or allow the system more open files (fs.file-max)",
    errno.EAGAIN: "allow more processes (ulimit -u)",
    errno.ENOMEM: "free memory, or play fewer pairs at a time",
    errno.ENOSPC: "free disk space",
    errno.EIO: "check the disk",
}
"""What to do about an error of a system call that no bot can be charged for."""
NOT_USABLE = "make this path usable, and run the same command again"


def machine_fault(what: str, error: OSError) -> MachineStalled:
    """Return the fault of the machine that an error of the operating system is.

    Args:
        what: what could not be done, as a clause.
        error: the error.

    """
    return MachineStalled(f"{what}: {error}; {REMEDIES.get(error.errno or 0, NOT_USABLE)}")
