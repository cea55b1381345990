"""A bot's rights over processes that are not its own: none, where the kernel can hold it to that.

Landlock (Linux 6.12) lets a process and all that it starts signal and trace only each other, so
that no bot can stop or kill its supervisor, the ladder or another bot. `no_new_privs` (prctl(2))
keeps setuid programs such as sudo from starting something that this user cannot end. Neither can be
taken off again.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import ctypes
import os
import stat

PR_SET_NO_NEW_PRIVS = 38
SYS_CREATE_RULESET, SYS_RESTRICT_SELF = 444, 446
CREATE_RULESET_VERSION = 1
SCOPE_SIGNAL = 2
SCOPED_SINCE = 6
"""The version of Landlock's interface from which on it can hold back signals."""


def offers_signal_scope(libc: ctypes.CDLL) -> bool:
    """Return whether the kernel can keep a process from signalling others."""
    version = libc.syscall(SYS_CREATE_RULESET, None, 0, CREATE_RULESET_VERSION)
    return int(version) >= SCOPED_SINCE


def renounce_privileges(libc: ctypes.CDLL, program: str) -> bool:
    """Have setuid bits mean nothing for this process from now on, unless `program` needs its own.

    Returns:
        Whether it was done.

    """
    return not is_privileged(program) and int(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) == 0


def scope_signals(libc: ctypes.CDLL) -> bool:
    """Let this process, and what it starts, signal only itself; True if the kernel could.

    Needs `renounce_privileges` before, or root.
    """
    if not offers_signal_scope(libc):
        return False
    attributes = (ctypes.c_uint64 * 3)(0, 0, SCOPE_SIGNAL)  # files, network, scope
    ruleset = libc.syscall(SYS_CREATE_RULESET, attributes, ctypes.sizeof(attributes), 0)
    if ruleset < 0:
        return False
    try:
        return int(libc.syscall(SYS_RESTRICT_SELF, ruleset, 0)) == 0
    finally:
        os.close(ruleset)


def is_privileged(program: str) -> bool:
    """Return whether a program, found as `execvp` finds it, runs with more rights than its user."""
    folders = [""] if "/" in program else os.environ.get("PATH", os.defpath).split(":")
    for folder in folders:
        path = os.path.join(folder, program)
        try:
            mode = os.stat(path).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) and os.access(path, os.X_OK):
            return bool(mode & (stat.S_ISUID | stat.S_ISGID)) or _has_capabilities(path)
    return False


def _has_capabilities(path: str) -> bool:
    try:
        return bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False
