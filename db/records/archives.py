"""Archives of bots' files: a manifest, each file's content by its hash, and unpacked copies."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine.cache import cache_root

PART_BYTES = 1 << 20
"""Bytes of a file that are stored and read at a time."""
FILES, CACHE, MANIFEST = "files", "cache", "manifest.json"


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


def archives_folder() -> Path:
    """Return the folder of unpacked archives on this machine."""
    return cache_root() / "bots"


def files_of(sha256: str) -> Path:
    """Return the folder of an archive's files on this machine."""
    return archives_folder() / sha256 / FILES


def cache_of(sha256: str) -> Path:
    """Return the folder of what is compiled from an archive."""
    return archives_folder() / sha256 / CACHE


def find_lost(folder: str) -> Path | None:
    """Return a file that is missing of the unpacked archive that a folder belongs to, or None."""
    root = archives_folder()
    if root not in Path(folder).parents:
        return None
    place = root / Path(folder).relative_to(root).parts[0]
    try:
        manifest = msgspec.json.decode((place / MANIFEST).read_bytes(), type=Manifest)
    except OSError:
        is_draft = place.name.startswith(".") and place.exists()  # it has no manifest yet
        return None if is_draft else place
    files = (place / FILES / file.path for file in manifest.files)
    return next((file for file in files if not file.exists()), None)
