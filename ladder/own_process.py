"""Command lines of this program's processes: how one is started, and passwords in them."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

START = "connect4_ladder_start"
"""The module that finds this program's packages even where a user's modules have their names."""


def own_command(module: str) -> tuple[str, ...]:
    """Return the command that calls the function `main` of a module of this program.

    -P keeps the current folder off the import path.
    """
    return (sys.executable, "-P", "-m", START, module)


_PASSWORD = re.compile(r"://[^:/@]*:(?P<word>.+)@|[?&]password=(?P<option>[^&]+)")


def hide_passwords(arguments: Sequence[str]) -> None:
    """Overwrite the passwords of database URLs in this process's command line in memory.

    Every user of the machine can read them in the list of processes until then, so commands do it
    first. Without `/proc` nothing is overwritten.
    """
    found = [
        match["word"] or match["option"]
        for word in arguments
        if "://" in word
        for match in _PASSWORD.finditer(word)
    ]
    if found:
        import ctypes

        start, end = _command_line_addresses()
        words = ctypes.string_at(start, end - start) if start else b""
        for password in found:
            secret = password.encode()
            place = words.find(secret)
            while place >= 0:
                ctypes.memset(start + place, ord("*"), len(secret))
                place = words.find(secret, place + len(secret))


def _command_line_addresses() -> tuple[int, int]:
    """Return the addresses of this process's command line: its first byte and its end (proc(5))."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    # Fields 48 and 49 of the file; the first one after the name is field 3.
    return int(fields[45]), int(fields[46])
