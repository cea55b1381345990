"""Hiding passwords from the list of processes, which every user of the machine can read."""

import re
from collections.abc import Sequence
from pathlib import Path

_PASSWORD = re.compile(r"://[^:/@]*:(?P<word>.+)@|[?&]password=(?P<option>[^&]+)")


def hide_passwords(arguments: Sequence[str]) -> None:
    """Overwrite the passwords of database URLs in this process's command line in memory.

    Until then they can be read, so commands do it first. Without `/proc` nothing is overwritten.
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
