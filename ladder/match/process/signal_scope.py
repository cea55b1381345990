"""Keep a bot from signalling processes that are not its own, where the kernel supports it.

Landlock (Linux 6.12) lets a process and its descendants signal and trace only each other, so no bot
can stop or kill its supervisor, the ladder or another bot. `no_new_privs` (prctl(2)) keeps setuid
programs such as sudo from starting a process that this user cannot kill. Neither can be undone.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import ctypes
import os
import stat

PR_SET_NO_NEW_PRIVS = 38
SYS_CREATE_RULESET, SYS_RESTRICT_SELF = 444, 446
CREATE_RULESET_VERSION = 1
SCOPE_SIGNAL = 2
SCOPED_SINCE = 6
"""The first version of Landlock's interface that can restrict signals."""


def offers_signal_scope(libc: ctypes.CDLL) -> bool:
    """Return whether the kernel can keep a process from signalling other processes."""
    version = libc.syscall(SYS_CREATE_RULESET, None, 0, CREATE_RULESET_VERSION)
    return int(version) >= SCOPED_SINCE


def renounce_privileges(libc: ctypes.CDLL, program: str) -> bool:
    """Disable setuid programs for this process unless `program` is one; return if it worked."""
    return not is_privileged(program) and int(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) == 0


def scope_signals(libc: ctypes.CDLL) -> bool:
    """Restrict the signals of this process and its children to themselves; return if it worked.

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
    """Return whether a program, found as by `execvp`, runs with more rights than its user."""
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
