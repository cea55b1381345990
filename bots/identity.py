"""The identity of a built-in player: a hash of its code and options.

The hash covers the player's row and the sources that its factory's module imports, directly or not,
without docstrings, comment lines and blank lines. A new version in the table, an edit of another
family or of a docstring does not change the identities of other players.

The hash also changes when code only moves or is renamed. `carried.json` lists the players that keep
the identity they had before such a change; ``python -m tests.bots.carry`` writes it after comparing
the decisions of both versions. An entry is valid only for the code that was compared.
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

CARRIED_FILE = "bots/carried.json"
"""Path below the root."""
OPTION = "option "
"""Prefix of an option's name among the files of a stored revision."""


class Carried(msgspec.Struct, frozen=True):
    """A player that keeps the identity of an earlier version of its sources."""

    code: str
    """Hash of the current code and row."""
    identity: str
    """The identity that it keeps."""
    files: tuple[str, ...] = ()
    """`files_hash` of the earlier versions from which stored revisions were made."""


@lru_cache(maxsize=1)
def carried(root: Path = ROOT) -> Mapping[str, Carried]:
    """Return the players that keep an earlier identity, by name."""
    return msgspec.json.decode((root / CARRIED_FILE).read_bytes(), type=dict[str, Carried])


def content_hash(
    version: Version, options: Mapping[str, Any] | None = None, *, root: Path = ROOT
) -> str:
    """Return the identity of a player with extra options, 16 hex digits.

    Args:
        version: the player.
        options: its extra options.
        root: the folder with the packages of sources, which must not change meanwhile: what was
            read is kept.

    Raises:
        SpecError: an option names a file that cannot be used.

    """
    code = code_hash(version, root)
    entry = _find_carried(code, root)
    identity = code if entry is None else entry.identity
    resolved = version.resolve_options({**version.options, **(options or {})})
    return identity if resolved == _own_options(version) else _hash(identity, resolved)


def code_hash(version: Version, root: Path = ROOT) -> str:
    """Hash a player's code and row, without regard to `carried.json`; 16 hex digits."""
    return _hash(version.factory, _own_options(version), _code(version, root))


def is_carried_over(
    version: Version,
    options: Mapping[str, Any],
    files: Mapping[str, str],
    *,
    root: Path = ROOT,
) -> bool:
    """Return whether a stored revision is the current player under an earlier version.

    Args:
        version: the player.
        options: the revision's resolved options.
        files: the hashes that were stored with the revision.
        root: the folder with the packages of sources.

    """
    entry = _find_carried(code_hash(version, root), root)
    stored = {name: value for name, value in files.items() if not name.startswith(OPTION)}
    given = {f"{OPTION}{name}": value for name, value in options.items()}
    return (
        entry is not None
        and files_hash(stored) in entry.files
        and {**stored, **given} == dict(files)
    )


def files_hash(files: Mapping[str, str]) -> str:
    """Combine the hashes of a player's sources, by path, into one; 16 hex digits."""
    return _hash(sorted(files.items()))


def sources(version: Version, root: Path = ROOT) -> list[Path]:
    """Return all files of `engine` and `bots` that the player's module imports."""
    return list(_closure(version.factory.partition(":")[0], root))


def _find_carried(code: str, root: Path) -> Carried | None:
    return next((entry for entry in carried(root).values() if entry.code == code), None)


def _own_options(version: Version) -> dict[str, Any]:
    return version.resolve_options(version.options)


def _code(version: Version, root: Path) -> list[tuple[str, str]]:
    return [(str(path.relative_to(root)), _read(path).code) for path in sources(version, root)]


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


class _Source(msgspec.Struct, frozen=True):
    """The parts of a source file that matter for identities."""

    imports: tuple[str, ...]
    code: str
    """Hash of the lines of code."""


@lru_cache(maxsize=64)
def _closure(module: str, root: Path) -> tuple[Path, ...]:
    found: set[Path] = set()
    waiting = [_file(module, root)]
    while waiting:
        path = waiting.pop()
        if path is None or path in found:
            continue
        found.add(path)
        waiting.extend(_file(name, root) for name in _read(path).imports)
    return tuple(sorted(found))


def _file(module: str, root: Path) -> Path | None:
    """Return the file of a module of this project, None for other modules and names."""
    if module.split(".")[0] not in PACKAGES:
        return None
    place = root.joinpath(*module.split("."))
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
            # "from package import module" names a file, too.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def code_lines(text: str, tree: ast.Module) -> Iterable[str]:
    """Yield the lines of code: no docstrings, comment lines or blank lines.

    The lines are taken from the text, not written from the syntax tree, so that all versions of
    Python give the same. A comment after code on its line counts.
    """
    lines = text.split("\n")
    docstrings: set[int] = set()
    texts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            if not lines[node.lineno - 1][: node.col_offset].strip():
                docstrings |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and _is_text(node)):
            texts |= set(range(node.lineno + 1, (node.end_lineno or 0) + 1))
    for number, line in enumerate(lines, start=1):
        bare = line.strip()
        if number not in docstrings and (number in texts or (bare and bare[0] != "#")):
            yield line


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
