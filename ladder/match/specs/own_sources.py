"""The sources that host this installation's players: a copy by content, out of reach of an editor.

A run plays for hours while its author works on in the same files. A host imports a player's modules
when it first becomes that player, so that hosts of the working tree would mix old code and new. The
copy lies in the user's cache, beside the kernels compiled from it: equal sources have one copy.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from db.records.launch import FileState
from engine.cache import ROOT, cache_root
from ladder.errors import UsageError
from ladder.match.specs.file_state import look_at

PACKAGES = ("engine", "bots")
READ_ONLY = 0o444
KEPT_S = 60 * 86400
"""A copy goes when no command has used it for so long, and another one is made."""
NOTED_S = 86400
"""The use of a copy is noted once a day: by the time of its folder's last change."""


@dataclass(frozen=True, slots=True)
class OwnSources:
    """The packages `engine` and `bots` as they were when this process first needed them."""

    root: Path
    """The folder that holds both."""
    digest: str
    """Of the names and contents of all their files."""
    content: tuple[FileState, ...] = ()
    """All files, where no copy could be made and hosts run the working tree; else empty."""


def own_sources() -> OwnSources:
    """The copy that hosts run, made when there is none of these contents.

    Where the cache cannot be written it is the working tree itself, which then may not change.
    """
    return _taken(cache_root() / "sources")


def is_edited() -> bool:
    """Whether the working tree holds something else than `own_sources` took."""
    return _digest(_read(ROOT)) != own_sources().digest


def refuse_edited() -> None:
    """Refuse to go on when the working tree was edited after `own_sources` took it.

    Raises:
        UsageError: it was edited since, so that hashes taken from it may be of other contents.

    """
    if is_edited():
        raise UsageError(
            "sources of the built-in players were edited while the command started: run it again"
        )


@lru_cache(maxsize=4)
def _taken(copies: Path) -> OwnSources:
    files = _read(ROOT)
    digest = _digest(files)
    place = copies / digest
    try:
        if not place.is_dir() or _digest(_read(place)) != digest:
            _write(place, files)
            _remove_old(copies)
    except OSError:
        return OwnSources(ROOT, digest, tuple(look_at(ROOT / name) for name in files))
    _note_use(place)
    _hold(place)
    return OwnSources(place, digest)


def _hold(place: Path) -> None:
    """Keep a copy from being removed while this process lives, whatever the clock shows."""
    with contextlib.suppress(OSError):  # a file system without locks: the time of use must do
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def _note_use(place: Path) -> None:
    with contextlib.suppress(OSError):
        if place.stat().st_mtime < time.time() - NOTED_S:
            os.utime(place)


def _remove_old(copies: Path) -> None:
    """Remove copies of sources that nobody uses any more: some 600 KB for each edit of a player."""
    for copy in copies.iterdir():
        with contextlib.suppress(OSError):  # another process was faster, or it is not ours
            if copy.stat().st_mtime < time.time() - KEPT_S:
                _remove_unheld(copy)


def _remove_unheld(copy: Path) -> None:
    """Remove a copy, unless a living process holds it. Raises OSError."""
    descriptor = os.open(copy, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(copy)
    finally:
        os.close(descriptor)


def _read(root: Path) -> dict[str, bytes]:
    """Every file of the packages but what Python compiles by itself, by its path below the root."""
    paths = (path for package in PACKAGES for path in (root / package).rglob("*"))
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(paths)
        if path.is_file() and "__pycache__" not in path.parts
    }


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _write(place: Path, files: Mapping[str, bytes]) -> None:
    """Write a copy whole or not at all. Raises OSError."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(READ_ONLY)
        new.chmod(0o755)
        if place.exists():  # somebody changed it
            place.rename(new / "damaged")
        try:
            os.rename(new, place)
        except OSError:
            if not place.is_dir():
                raise
            shutil.rmtree(new, ignore_errors=True)  # another process was faster
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(place / "damaged", ignore_errors=True)
