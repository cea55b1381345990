"""A copy of the sources of this installation's players, which edits do not reach.

A run plays for hours while its author edits the same files. A host imports a player's modules when
it first becomes that player, so hosts of the working tree would mix old and new code. The copy is
in the user's cache, beside the kernels compiled from it; equal sources share one copy.
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

from engine.cache import ROOT, cache_root
from ladder.errors import UsageError

PACKAGES = ("engine", "bots")
READ_ONLY = 0o444
KEPT_S = 60 * 86400
"""A copy is removed after 60 days without use, when another copy is made."""
NOTED_S = 86400
"""The use of a copy is recorded once a day, as its folder's modification time (mtime)."""


@dataclass(frozen=True, slots=True)
class OwnSources:
    """The packages `engine` and `bots` as they were when this process first needed them."""

    root: Path
    """The folder that holds both."""
    digest: str
    """Hash of the names and contents of all their files."""


def own_sources(root: Path = ROOT) -> OwnSources:
    """Return the copy that hosts run; the first call in a process makes it if necessary."""
    return _copy_once(root, cache_root() / "sources")


def is_edited(root: Path = ROOT) -> bool:
    """Return whether the working tree differs from the copy of `own_sources`."""
    return _digest(_read(root)) != own_sources(root).digest


def refuse_edited(root: Path = ROOT) -> None:
    """Refuse to continue if the working tree was edited after `own_sources` copied it.

    Raises:
        UsageError: it was edited, so that hashes may belong to different contents.

    """
    if is_edited(root):
        raise UsageError(
            "sources of the built-in players were edited while the command started: run it again"
        )


def copy_sources(root: Path, copies: Path) -> OwnSources:
    """Return a copy of a working tree, made if there is none with the same content.

    If it cannot be written, hosts run the working tree.

    Args:
        root: the working tree.
        copies: the folder of all copies.
    """
    files = _read(root)
    digest = _digest(files)
    place = copies / digest
    try:
        if not place.is_dir() or _digest(_read(place)) != digest:
            _write(place, files)
            _remove_old(copies)
    except OSError:
        return OwnSources(root, digest)
    _note_use(place)
    _lock(place)
    return OwnSources(place, digest)


_copy_once = lru_cache(maxsize=4)(copy_sources)


def _lock(place: Path) -> None:
    """Keep a copy from being removed while this process lives."""
    with contextlib.suppress(OSError):  # without locks the recorded time of use has to suffice
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_SH)


def _note_use(place: Path) -> None:
    with contextlib.suppress(OSError):
        if place.stat().st_mtime < time.time() - NOTED_S:
            os.utime(place)


def _remove_old(copies: Path) -> None:
    """Remove copies that are no longer used: each edit of a player leaves some 600 KB."""
    for copy in copies.iterdir():
        with contextlib.suppress(OSError):  # another process was faster, or it is not ours
            if copy.stat().st_mtime < time.time() - KEPT_S:
                _remove_unlocked(copy)


def _remove_unlocked(copy: Path) -> None:
    """Remove a copy unless a living process has locked it. Raises OSError."""
    descriptor = os.open(copy, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(copy)
    finally:
        os.close(descriptor)


def _read(root: Path) -> dict[str, bytes]:
    """Return the content of every source file, by path below the root."""
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
    """Write a complete copy or none. Raises OSError."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(READ_ONLY)
        new.chmod(0o755)
        if place.exists():  # its content was changed
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
