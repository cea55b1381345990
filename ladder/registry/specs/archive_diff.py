"""The differences between the stored files of two bots."""

import difflib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from db.records.archives import ArchivedFile, UnpackedArchive

MOST_BYTES = 1 << 18
"""Largest file whose lines are compared."""
DIGITS = 12
"""Digits of a file's hash that are shown."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A file that differs between two bots."""

    path: str
    before: ArchivedFile | None
    """None if only the second bot has it."""
    after: ArchivedFile | None
    """None if only the first bot has it."""
    lines: tuple[str, ...] | None
    """The lines of the unified diff; None if it is no text, or too long."""

    @property
    def summary(self) -> str:
        """The difference in short, such as ``mybot.py +3 -1`` or ``book.bin changed``."""
        if self.after is None:
            return f"{self.path} gone"
        if self.lines is None:
            return f"{self.path} {'new' if self.before is None else 'changed'}"
        body = self.lines[2:]  # below the names of both files
        added, removed = (sum(line.startswith(sign) for line in body) for sign in "+-")
        counts = [f"+{added}"] * bool(added) + [f"-{removed}"] * bool(removed)
        return " ".join([self.path, *(counts or ["new"])])

    @property
    def text(self) -> list[str]:
        """The lines of the difference: a unified diff, or the sizes and hashes."""
        if self.lines:
            return list(self.lines)
        return [f"{self.path}: {_facts(self.before)} -> {_facts(self.after)}"]


def diff_files(before: UnpackedArchive, after: UnpackedArchive) -> list[FileDiff]:
    """Return the files whose content differs, by path.

    Raises:
        OSError: a file cannot be read.

    """
    old = {file.path: file for file in before.manifest.files}
    new = {file.path: file for file in after.manifest.files}
    return [
        FileDiff(path, old.get(path), new.get(path), _diff(path, before, after, old, new))
        for path in sorted(old.keys() | new.keys())
        if path not in old or path not in new or old[path].sha256 != new[path].sha256
    ]


def _diff(
    path: str,
    before: UnpackedArchive,
    after: UnpackedArchive,
    old: dict[str, ArchivedFile],
    new: dict[str, ArchivedFile],
) -> tuple[str, ...] | None:
    first = _read_lines(before.root, old.get(path))
    second = _read_lines(after.root, new.get(path))
    if first is None or second is None:
        return None
    names = (
        f"a/{path}" if path in old else "/dev/null",
        f"b/{path}" if path in new else "/dev/null",
    )
    return tuple(_unified(first, second, *names))


def _unified(first: list[str], second: list[str], before: str, after: str) -> Iterator[str]:
    for line in difflib.unified_diff(first, second, before, after):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _read_lines(root: Path, file: ArchivedFile | None) -> list[str] | None:
    """Return the lines of a text; [] for no file, and None for other files."""
    if file is None:
        return []
    if file.size > MOST_BYTES:
        return None
    content = (root / file.path).read_bytes()
    if b"\0" in content:
        return None
    try:
        return io.StringIO(content.decode(), newline="\n").readlines()
    except UnicodeDecodeError:
        return None


def _facts(file: ArchivedFile | None) -> str:
    return "none" if file is None else f"{file.size:,} bytes, {file.sha256[:DIGITS]}"
