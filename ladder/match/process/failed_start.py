"""Why a bot's program cannot be started, in words for its author; imported by the supervisor."""

import errno
import os

LONGEST_LINE = 256
"""Bytes of a script's first line that the kernel reads (execve(2))."""


def explain_failed_start(step: str, number: int, program: str, folder: str) -> str:
    """Return why a program cannot be started and what to do about it.

    Args:
        step: what failed: to enter the ``folder``, which is then the current one, or to start the
            ``program``.
        number: the error's number.
        program: as the command names it.
        folder: the bot's folder.

    """
    if step == "folder":
        return f"cannot enter its folder {folder} ({os.strerror(number)})"
    if number == errno.ENOENT:
        return _explain_missing(program)
    reasons = {
        errno.EACCES: "it is not executable (chmod +x makes it so)",
        errno.ENOEXEC: "it is neither a program of this machine nor a script that begins with #!",
    }
    return reasons.get(number, os.strerror(number))


def _explain_missing(program: str) -> str:
    """Return what is missing: the program, or what the kernel needs to start it."""
    if "/" not in program:
        return "there is no such program on PATH: install it, or write ./ before a file's name"
    try:
        with open(program, "rb") as file:
            line = file.readline(LONGEST_LINE)
    except FileNotFoundError:
        return "there is no such file in the bot's folder"
    except OSError as error:
        return f"a file is missing, and its first line cannot be read ({error.strerror})"
    if not line.startswith(b"#!"):
        return "the loader that it was linked for is missing: build it on this machine"
    if line.endswith(b"\r\n"):
        return "its first line ends as in Windows: save it with the line ends of Unix"
    words = line[2:].decode("utf-8", "replace").split()
    return f"there is no {words[0] if words else 'interpreter'}, which its first line names"
