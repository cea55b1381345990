"""What a built-in player is made of: a hash that changes when the code it uses changes.

Only the sources that its factory's module reaches by imports count, and its own row: a new version
in the table, or an edit of another family, leaves the identity of the rest alone.
"""

import ast
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bots.version import Version
from engine.cache import ROOT

PACKAGES = ("engine", "bots")


def content_hash(version: Version, options: Mapping[str, Any] | None = None) -> str:
    """The identity of a player with these extra options, 16 hex digits.

    Raises:
        SpecError: an option names a file that cannot be used.

    """
    row = {
        "factory": version.factory,
        "options": version.settled({**version.options, **(options or {})}),
    }
    digest = hashlib.sha256(json.dumps(row, sort_keys=True, default=str).encode())
    for path in sources(version):
        digest.update(str(path.relative_to(ROOT)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def sources(version: Version) -> list[Path]:
    """Every file of `engine` and `bots` that the player's module imports, directly or not."""
    return list(_closure(version.factory.partition(":")[0]))


@lru_cache(maxsize=64)
def _closure(module: str) -> tuple[Path, ...]:
    found: set[Path] = set()
    waiting = [_file(module)]
    while waiting:
        path = waiting.pop()
        if path is None or path in found:
            continue
        found.add(path)
        waiting.extend(_file(name) for name in _imports(path))
    return tuple(sorted(found))


def _file(module: str) -> Path | None:
    """The source of a module of ours, None for a foreign one or a name inside a module."""
    if module.split(".")[0] not in PACKAGES:
        return None
    place = ROOT.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@lru_cache(maxsize=256)
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(_imported_names(ast.parse(path.read_bytes())))


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            # "from package import module" names a file too.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
