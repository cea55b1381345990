"""States of a bot's files: hash, size and time of change, and how to find changed files."""

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from db.records.launch import FileState, Start
from ladder.errors import BotChanged

TICK_NS = 100_000_000
"""A file written less than this before its state was read may be written again within the same tick
of the file system's clock, so its time of change proves nothing."""
MOST_NAMED = 5
"""Maximum number of files named in a message."""


def hash_file(path: Path) -> str:
    """Return 16 hex digits of a hash of the file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def hash_value(value: object) -> str:
    """Return 16 hex digits of a hash of a value's `repr`."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def read_file_state(path: Path) -> FileState:
    """Return the state of a file. Raises OSError."""
    status = path.stat()  # before the content, so that an edit between the two is noticed
    settled = status.st_ctime_ns < time.time_ns() - TICK_NS
    return FileState(
        path=str(path),
        size=status.st_size,
        changed_ns=status.st_ctime_ns if settled else 0,
        digest=hash_file(path),
    )


def find_file_changes(states: Iterable[FileState]) -> dict[str, str]:
    """Return ``changed`` or ``gone`` for each changed file, by path.

    Takes one system call per file: the content is read only if the size or the ctime differs. A
    later write moves the ctime on, except within one clock tick (`TICK_NS`), and no program can set
    it back.
    """
    found = {}
    for then in states:
        try:
            status = os.stat(then.path)
            if (status.st_size, status.st_ctime_ns) == (then.size, then.changed_ns):
                continue
            if hash_file(Path(then.path)) != then.digest:
                found[then.path] = "changed"
        except OSError:
            found[then.path] = "gone"
    return found


def check_unchanged(start: Start) -> None:
    """Refuse a bot whose files have changed.

    Raises:
        BotChanged: some files have changed; with their names.

    """
    found = find_file_changes(start.content)
    if found:
        raise BotChanged(start, describe_file_changes(found, Path(start.folder)))


def describe_file_changes(found: dict[str, str], folder: Path) -> str:
    """Return changed files as words, such as ``bot.py changed``, relative to a folder if in it."""
    words = []
    for name, word in list(found.items())[:MOST_NAMED]:
        path = Path(name)
        words.append(f"{path.relative_to(folder) if path.is_relative_to(folder) else path} {word}")
    if len(found) > MOST_NAMED:
        words.append(f"and {len(found) - MOST_NAMED} more")
    return ", ".join(words)
