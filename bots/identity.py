"""The identity of a built-in player: a hash that changes with its code and its options.

Only sources that the factory's module reaches by imports count, without their docstrings, comment
lines and blank lines, and the player's own row: a new version in the table, an edit of another
family or a better sentence leaves the identity of the rest alone.

A change that only moves or renames code is a change of that hash, too. `carried.json` lists the
players that went through such changes with the identity that they had before:
``python -m tests.bots.carry`` writes it, after both versions have made the same decisions. An entry
counts only as long as the code is the one that was compared.
"""

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from bots.version import Version
from engine.cache import PACKAGES, ROOT

CARRIED_FILE = Path(__file__).with_name("carried.json")
OPTION = "option "
"""How the ingredients of a stored revision name an option, before its own name."""


class Carried(msgspec.Struct, frozen=True):
    """A player that goes on under the identity of an earlier version of its sources."""

    code: str
    """The hash of the present code and row."""
    identity: str
    """The identity that it goes on with."""
    files: tuple[str, ...] = ()
    """`files_hash` of the earlier versions, of which a stored revision may be made."""


@lru_cache(maxsize=1)
def carried() -> Mapping[str, Carried]:
    """The players that go on under an earlier identity, by name."""
    return msgspec.json.decode(CARRIED_FILE.read_bytes(), type=dict[str, Carried])


def content_hash(version: Version, options: Mapping[str, Any] | None = None) -> str:
    """The identity of a player with these extra options, 16 hex digits.

    Raises:
        SpecError: an option names a file that cannot be used.

    """
    code = code_hash(version)
    entry = _entry(code)
    identity = code if entry is None else entry.identity
    settled = version.settled({**version.options, **(options or {})})
    return identity if settled == _own(version) else _hash(identity, settled)


def code_hash(version: Version) -> str:
    """The hash of a player's code and row, whatever identity it goes on with; 16 hex digits."""
    return _hash(version.factory, _own(version), _code(version))


def goes_on(version: Version, options: Mapping[str, Any], files: Mapping[str, str]) -> bool:
    """Whether a stored revision of a player with options is the present player with these options.

    Args:
        version: the player.
        options: of the revision, settled.
        files: the ingredients that were stored with the revision.

    """
    entry = _entry(code_hash(version))
    stored = {name: value for name, value in files.items() if not name.startswith(OPTION)}
    given = {f"{OPTION}{name}": value for name, value in options.items()}
    return (
        entry is not None
        and files_hash(stored) in entry.files
        and {**stored, **given} == dict(files)
    )


def files_hash(files: Mapping[str, str]) -> str:
    """One hash for the sources of a player, given theirs by path; 16 hex digits."""
    return _hash(sorted(files.items()))


def sources(version: Version) -> list[Path]:
    """Every file of `engine` and `bots` that the player's module imports, directly or not."""
    return list(_closure(version.factory.partition(":")[0]))


def _entry(code: str) -> Carried | None:
    return next((entry for entry in carried().values() if entry.code == code), None)


def _own(version: Version) -> dict[str, Any]:
    return version.settled(version.options)


def _code(version: Version) -> list[tuple[str, str]]:
    return [(str(path.relative_to(ROOT)), _read(path).code) for path in sources(version)]


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


class _Source(msgspec.Struct, frozen=True):
    """A source file as identities see it."""

    imports: tuple[str, ...]
    code: str
    """The hash of its lines of code."""


@lru_cache(maxsize=64)
def _closure(module: str) -> tuple[Path, ...]:
    found: set[Path] = set()
    waiting = [_file(module)]
    while waiting:
        path = waiting.pop()
        if path is None or path in found:
            continue
        found.add(path)
        waiting.extend(_file(name) for name in _read(path).imports)
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
def _read(path: Path) -> _Source:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    return _Source(tuple(_imported_names(tree)), _hash(list(code_lines(text, tree))))


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            # "from package import module" names a file too.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def code_lines(text: str, tree: ast.Module) -> Iterable[str]:
    """The lines of a source that are code: no docstrings, no comment lines, no blank lines.

    Cut from the text rather than written from the tree, so that every version of Python gives the
    same lines. A comment behind code counts.
    """
    lines = text.split("\n")
    words: set[int] = set()
    kept: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            if not lines[node.lineno - 1][: node.col_offset].strip():
                words |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and _is_text(node)):
            kept |= set(range(node.lineno + 1, (node.end_lineno or 0) + 1))
    for number, line in enumerate(lines, start=1):
        bare = line.strip()
        if number not in words and (number in kept or (bare and bare[0] != "#")):
            yield line


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
