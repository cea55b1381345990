"""Files of weights, and the option that names one; imports neither numpy nor a compiler.

A settled option is the SHA-256 of its file, so that other weights make another revision. When a
player is registered with a file, that file is kept in this user's cache under its hash: the bot
outlives a move of the file or a training that goes on.
"""

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Final

from bots.errors import SpecError
from engine.cache import cache_root

SHIPPED: Final = "shipped"
"""The word for the weights that come with the package."""
SHIPPED_FILE: Final = Path(__file__).with_name("weights.npz")
LARGEST_FILE: Final = 1_000_000
"""Bytes."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def find_weights(text: str, folder: Path | None = None) -> Path:
    """The file of an option: ``shipped``, a file, or the SHA-256 of one that was kept.

    Args:
        text: the option.
        folder: where a relative path begins; None: in the current folder.

    Raises:
        SpecError: weights of that hash are not on this machine.

    """
    if text == SHIPPED:
        return SHIPPED_FILE
    path = (folder or Path()) / text
    if path.exists() or not _HASH.fullmatch(text):
        return path
    if text == hash_of(SHIPPED_FILE):
        return SHIPPED_FILE
    kept = _kept(text)
    if not kept.exists():
        raise SpecError(
            f"the weights {text[:12]}... are not on this machine: register the player again "
            "from their file"
        )
    return kept


def settled_weights(text: str, folder: Path | None = None) -> str:
    """The SHA-256 of the weights that an option names; their file is kept under it.

    Raises:
        SpecError: there is no such file, it is too large, or it cannot be kept.

    """
    path = find_weights(text, folder)
    digest = hash_of(path)
    kept = _kept(digest)
    if path != SHIPPED_FILE and not kept.exists():
        try:
            _keep(read_file(path), kept)
        except OSError as error:
            raise SpecError(f"{path} cannot be copied to {kept}: {error.strerror}") from error
    return digest


def hash_of(path: Path) -> str:
    """The SHA-256 of a file, 64 hex digits.

    Raises:
        SpecError: it cannot be read, or is too large for weights.

    """
    return hashlib.sha256(read_file(path)).hexdigest()


def read_file(path: Path) -> bytes:
    """The bytes of a file of weights.

    Raises:
        SpecError: it cannot be read, or is too large for weights.

    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise SpecError(f"the weights in {path} cannot be read: {error.strerror}") from error
    if len(content) > LARGEST_FILE:
        raise SpecError(f"{path} holds more than {LARGEST_FILE:,} bytes, too many for weights")
    return content


def _kept(digest: str) -> Path:
    return cache_root() / "weights" / f"{digest}.npz"


def _keep(content: bytes, place: Path) -> None:
    """Write a file whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.replace(draft, place)
