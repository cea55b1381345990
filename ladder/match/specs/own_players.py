"""The identities of this installation's players, cached by the content of its sources.

Reading and hashing all sources takes longer than most commands, so a folder in the user's cache
holds the result for each content.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS
from bots.identity import content_hash, sources
from bots.version import Version
from engine.cache import ROOT, cache_root
from ladder.match.specs.file_state import hash_file
from ladder.match.specs.own_sources import is_edited, own_sources


class OwnPlayer(msgspec.Struct, frozen=True):
    """A player of this installation without options of its own."""

    content_hash: str
    files: dict[str, str]
    """Hashes of its sources, by path below the root."""


def own_player(version: Version) -> OwnPlayer:
    """Return a player's identity from the sources that this process first read."""
    # Copy the sources before hashing them, so that `is_edited` detects an edit after either step.
    return _load_once(own_sources().digest, cache_root() / "identities")[version.name]


def load_players(
    digest: str, folder: Path, is_edited: Callable[[], bool] = is_edited
) -> Mapping[str, OwnPlayer]:
    """Return all players by name, from the cache or else from the sources.

    Args:
        digest: hash of the sources.
        folder: the folder of the cache, which is written unless the sources were edited.
        is_edited: returns whether the sources no longer have this hash.

    """
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    place = folder / f"{digest}-{python}.json"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        kept = msgspec.json.decode(place.read_bytes(), type=dict[str, OwnPlayer])
        if kept.keys() == VERSIONS.keys():
            return kept
    paths = {path for version in VERSIONS.values() for path in sources(version)}
    hashes = {path: hash_file(path) for path in paths}
    found = {
        name: OwnPlayer(
            content_hash(version),
            {str(path.relative_to(ROOT)): hashes[path] for path in sources(version)},
        )
        for name, version in VERSIONS.items()
    }
    if not is_edited():
        with contextlib.suppress(OSError):
            _write(place, msgspec.json.encode(found))
    return found


_load_once = lru_cache(maxsize=4)(load_players)


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, new = tempfile.mkstemp(prefix=".new-", dir=place.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.replace(new, place)
