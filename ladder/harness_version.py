"""What plays a run's games: package versions, hashes of the sources, and the processor.

It is stored with each run, to find the games that a defect may have affected. It is no part of a
player's identity: the harness only carries messages, starts processes and applies the rules, golden
games guard the players, and ratings would otherwise start anew with every release.
"""

import hashlib
import platform
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from engine.cache import ROOT, source_fingerprint

FOLDERS = ("ladder/match", "bots/foreign")
"""Supervision, the referee, the hosts of foreign bots."""
MODULES = (
    *("bots/host.py", "bots/protocol.py", "bots/budget.py", "bots/player.py"),
    "db/records/thought_blob.py",
)
"""The host of built-in players, its protocol, and the encoding of thoughts."""


@lru_cache(maxsize=1)
def harness_version() -> dict[str, str]:
    """Return the versions of the ladder, Python and numba, hashes of sources, and the processor.

    ``sources`` are those of the harness, ``players`` those of the built-in players.
    """
    return {
        **versions(),
        "sources": hash_of_sources(sources()),
        "players": source_fingerprint(),
        "processor": processor(),
    }


def processor() -> str:
    """Return the model of this machine's processor, or its architecture if it has no name."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def versions() -> dict[str, str]:
    """Return the versions of the ladder, Python and numba."""
    return {
        "ladder": version("connect4-ladder"),
        "python": platform.python_version(),
        "numba": version("numba"),
    }


def hash_of_sources(paths: Iterable[Path]) -> str:
    """Return a hash over the names and contents of sources, 16 hex digits."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def sources() -> Iterator[Path]:
    """Yield the source files that play games."""
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).glob("*.py"))
    for module in MODULES:
        yield ROOT / module
