"""The harness that played a run: versions, and one hash over the sources that carry its games.

They belong to no player's identity: they carry messages, start processes and keep the rules, and a
rating that ended with every release of them would never settle. So a run keeps them on record, for
whoever has to know which games a defect may have touched.
"""

import hashlib
import platform
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from engine.cache import ROOT

FOLDERS = ("ladder/match/process", "ladder/match/game", "bots/foreign")
"""Supervision, the referee, the hosts of foreign bots."""
MODULES = (
    *("bots/host.py", "bots/protocol.py", "bots/budget.py", "bots/player.py"),
    "db/records/thought_blob.py",
)
"""The host of built-in players and its protocol; the packing of thoughts, which are stored as they
come."""


@lru_cache(maxsize=1)
def harness_version() -> dict[str, str]:
    """Versions of the ladder, Python and numba, and ``sources``: 16 hex digits."""
    return {**versions(), "sources": hash_of_sources(_sources())}


def versions() -> dict[str, str]:
    """Versions of the ladder, Python and numba."""
    return {
        "ladder": version("connect4-ladder"),
        "python": platform.python_version(),
        "numba": version("numba"),
    }


def hash_of_sources(paths: Iterable[Path]) -> str:
    """One hash over the names and the content of sources in their order, 16 hex digits."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).glob("*.py"))
    for module in MODULES:
        yield ROOT / module
