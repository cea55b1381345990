"""Archives of bots' files: a manifest, and the content of each file by its hash."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

PART_BYTES = 1 << 20
"""Bytes of a file that are stored and read at a time."""


class ArchivedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file of an archive."""

    path: str
    """Relative to the root of the archive."""
    sha256: str
    size: int
    executable: bool


class Manifest(msgspec.Struct, frozen=True):
    """The content of an archive, all of it sorted by path."""

    files: tuple[ArchivedFile, ...]
    links: tuple[tuple[str, str], ...] = ()
    """Path and relative target of each symbolic link."""
    folders: tuple[str, ...] = ()
    """Empty folders."""

    @property
    def sha256(self) -> str:
        """The name of the archive: the hash of its manifest, 64 hex digits."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class UnpackedArchive:
    """An archive whose files lie in a folder of the cache."""

    manifest: Manifest
    root: Path

    def read_parts(self, file: ArchivedFile) -> Iterator[bytes]:
        """Return a file's content in parts. Raises OSError."""
        return read_file(self.root / file.path)


def read_file(path: Path) -> Iterator[bytes]:
    """Yield the content of a file in parts. Raises OSError."""
    with path.open("rb") as content:
        while part := content.read(PART_BYTES):
            yield part
