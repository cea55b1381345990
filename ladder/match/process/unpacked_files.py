"""Where the files of stored bots are unpacked on this machine, and whether some were lost."""

from pathlib import Path

import msgspec

from db.records.archives import Manifest
from engine.cache import cache_root

FILES, CACHE, MANIFEST = "files", "cache", "manifest.json"


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
