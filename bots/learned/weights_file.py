"""Files of weights and the option that names one, without numpy or a compiler.

A resolved option is the SHA-256 of its file, so other weights make another revision. When a player
is registered with a file, a copy is stored in the user's cache under its hash: the bot still works
if the file is moved or changed later.
"""

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

from bots.errors import SpecError
from bots.options import read_weights_file
from engine.cache import cache_root
from engine.whole_file import write_whole

SHIPPED: Final = "shipped"
"""Option value for the weights of `ladder train value` in the package."""
SHIPPED_FILE: Final = Path(__file__).with_name("weights.npz")
SHIPPED_FILES: Final = {
    SHIPPED: SHIPPED_FILE,
    "fifth-generation": Path(__file__).with_name("fifth_generation.npz"),
}
"""The files of the package by option value."""
LARGEST_FILE: Final = 1_000_000
"""Limit in bytes."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def find_weights(text: str, folder: Path | None = None) -> Path:
    """Return the file of an option: a name in `SHIPPED_FILES`, a path, or a stored file's SHA-256.

    Args:
        text: the option's value.
        folder: base of relative paths, None for the current folder.

    Raises:
        SpecError: no weights with this hash are stored on this machine.

    """
    if text in SHIPPED_FILES:
        return SHIPPED_FILES[text]
    path = (folder or Path()) / text
    if path.exists() or not _HASH.fullmatch(text):
        return path
    for shipped in SHIPPED_FILES.values():
        if text == hash_of(shipped):
            return shipped
    stored = _stored_path(text)
    if not stored.exists():
        raise SpecError(
            f"the weights {text[:12]}... are not on this machine: register the player again "
            "from their file"
        )
    return stored


def store_weights(text: str, folder: Path | None = None) -> str:
    """Store a copy of the weights that an option names, and return its SHA-256.

    Raises:
        SpecError: the file does not exist, is too large, or cannot be stored.

    """
    path = find_weights(text, folder)
    digest = hash_of(path)
    stored = _stored_path(digest)
    if path not in SHIPPED_FILES.values() and not stored.exists():
        try:
            stored.parent.mkdir(parents=True, exist_ok=True)
            write_whole(stored, read_weights_file(path, LARGEST_FILE))
        except OSError as error:
            raise SpecError(f"{path} cannot be copied to {stored}: {error.strerror}") from error
    return digest


def hash_of(path: Path) -> str:
    """Hash a file with SHA-256, 64 hex digits.

    Raises:
        SpecError: the file cannot be read, or is too large for weights.

    """
    if path in SHIPPED_FILES.values() and path.exists():
        return _hash_shipped(path, path.stat().st_mtime_ns)
    return hashlib.sha256(read_weights_file(path, LARGEST_FILE)).hexdigest()


@cache
def _hash_shipped(path: Path, modified_ns: int) -> str:  # noqa: ARG001 - the key of the cache
    """Hash a file of the package: each command that opens a database asks for all of them."""
    return hashlib.sha256(read_weights_file(path, LARGEST_FILE)).hexdigest()


def _stored_path(digest: str) -> Path:
    return cache_root() / "weights" / f"{digest}.npz"
