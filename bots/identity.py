"""The identity of a built-in player: a hash of its name, its options and its behaviour.

A version declares its behaviour as a number, which its golden games guard (`bots.golden`). In a
version without golden games, which is being worked on, the sources take the place of the number.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from bots.golden import is_recorded
from bots.version import Version
from engine.cache import source_fingerprint

OPTION = "option "
"""Prefix of an option's name among the ingredients of a stored revision."""


def content_hash(
    version: Version,
    options: Mapping[str, Any],
    hash_sources: Callable[[], str] = source_fingerprint,
) -> str:
    """Return the identity of a player with extra options, 16 hex digits.

    Args:
        version: the player.
        options: its extra options.
        hash_sources: returns a hash of all sources, for a version without golden games.

    Raises:
        SpecError: an option names a file that cannot be used.

    """
    resolved = version.resolve_options({**version.options, **options})
    parts = (version.name, resolved, *behaviour(version, hash_sources).values())
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def behaviour(version: Version, hash_sources: Callable[[], str]) -> dict[str, str]:
    """Return the behaviour that a version declares, or the sources if it has no golden games."""
    if is_recorded(version):
        return {"behaviour": str(version.behaviour)}
    return {"sources": hash_sources()}
