"""Keep a bot from gaining rights: it could then start processes that this user cannot kill.

Every supervisor loads this module, so it must not import anything that is slow to load.
"""

import ctypes
import os
import stat

PR_SET_NO_NEW_PRIVS = 38


def renounce_privileges(libc: ctypes.CDLL, program: str) -> None:
    """Disable setuid programs such as sudo for this process, unless `program` itself is one.

    A setuid sandbox keeps its rights. The setting (`no_new_privs`, prctl(2)) is inherited and
    cannot be undone.
    """
    if not is_privileged(program):
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


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
