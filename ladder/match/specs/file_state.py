"""The files that a bot was found to be made of, and whether they still are what they were."""

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from db.records.launch import FileState, Start
from ladder.errors import BotChanged

TICK_NS = 100_000_000
"""A file written so shortly before it was looked at may be written again within the same tick of
the file system's clock, so that its times alone say nothing."""
NAMED = 5
"""Files named in a sentence, at most."""


def hash_file(path: Path) -> str:
    """16 hex digits of the file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def look_at(path: Path) -> FileState:
    """A file as it is now. Raises OSError."""
    status = path.stat()  # before the content: an edit between the two will show
    settled = status.st_ctime_ns < time.time_ns() - TICK_NS
    return FileState(
        path=str(path),
        size=status.st_size,
        changed_ns=status.st_ctime_ns if settled else 0,
        digest=hash_file(path),
    )


def changes(states: Iterable[FileState]) -> dict[str, str]:
    """The files that are no longer as they were, by path: ``changed`` or ``gone``.

    A system call a file. The content is read only when the size or the ctime, which every write
    moves on and which nobody can set back, is another.
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
    """Refuse a bot whose files are not those that its identity was taken from.

    Raises:
        BotChanged: some are not; with their names.

    """
    found = changes(start.content)
    if found:
        raise BotChanged(start, describe_file_changes(found, Path(start.folder)))


def describe_file_changes(found: dict[str, str], folder: Path) -> str:
    """Changed files in a sentence, named relative to a folder where they lie in it."""
    words = []
    for name, word in list(found.items())[:NAMED]:
        path = Path(name)
        words.append(f"{path.relative_to(folder) if path.is_relative_to(folder) else path} {word}")
    if len(found) > NAMED:
        words.append(f"and {len(found) - NAMED} more")
    return ", ".join(words)
