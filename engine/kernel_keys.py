"""The key of a module's kernels: a hash of everything that their machine code depends on.

That is the module and what it imports from `engine` and `bots`, directly or not, as syntax trees
without docstrings, comments and annotations. An import that only annotations use counts, because
the classes of named tuples come from there.

Reading all trees takes half a second, so a table of all keys is stored for each fingerprint of the
sources.
"""

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from engine.cache import (
    PACKAGES,
    ROOT,
    cache_folder,
    fingerprint_of,
    is_used,
    read_sources,
    source_fingerprint,
    write_entry,
)

_IGNORED = {"annotation", "returns", "type_comment", "kind"}
"""Fields of syntax trees that no machine code depends on; `kind` is the prefix of ``u""``."""


_TOOLS = ("tests", "benchmarks")
"""Packages of a checkout that have kernels, too."""
_STORAGE = {"engine.cache", "engine.code_cache", "engine.kernel_keys"}
"""Modules that every kernel imports, but that only decide where machine code is stored."""


class SourceFacts(NamedTuple):
    """What the keys take from one source."""

    digest: str
    """Hash of the syntax tree."""
    imports: tuple[tuple[int, str], ...]
    """Level and dotted name of each import; what is imported *from* a module may be a module."""


@cache
def facts_of(source: bytes) -> SourceFacts:
    """Return the facts of a source; one that cannot be parsed is opaque, and has no imports."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # ValueError: a null byte
        return SourceFacts(hashlib.sha256(source).hexdigest(), ())
    imports: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            imports += [(node.level, f"{base}.{alias.name}".lstrip(".")) for alias in node.names]
    return SourceFacts(hashlib.sha256(_describe(tree).encode()).hexdigest(), tuple(imports))


def keys_of(
    sources: Mapping[str, bytes], modules: Iterable[str] = (), *, others: Mapping[str, str] = {}
) -> dict[str, str]:
    """Return the keys of modules, 16 hex digits each.

    Args:
        sources: the packages' sources by path, as `read_sources` returns them.
        modules: dotted names; by default all modules of the sources.
        others: the keys of modules of other packages, whose sources are not needed.

    """
    files = {module_name(path): path for path in sources}
    counted = {*files, *others} - _STORAGE
    known = {module: (key, frozenset[str]()) for module, key in others.items()}

    def read(module: str) -> tuple[str, frozenset[str]]:
        """Return a module's digest and what it imports, with the packages around each."""
        if module not in known:
            facts = facts_of(sources[files[module]])
            package = module if files[module].endswith("/__init__.py") else _parent(module)
            names = {module, *(_resolve(package, *each) for each in facts.imports)}
            parts = {part for name in names for part in _with_parents(name)}
            known[module] = facts.digest, frozenset(parts & counted)
        return known[module]

    keys = {}
    for module in modules or files:
        closure, found = set[str](), {module}
        while found:
            closure |= found
            found = {name for each in found for name in read(each)[1]} - closure
        text = "\n".join(f"{name} {read(name)[0]}" for name in sorted(closure))
        keys[module] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return keys


def kernel_key(module: str) -> str:
    """Return the key of a module of this checkout, in `engine`, `bots` or another package.

    Imports from packages other than the module's own, `engine` and `bots` do not count: no kernel
    is there.
    """
    if (key := _table().get(module)) is not None:
        return key
    return keys_of(_tool_sources(module.partition(".")[0]), [module], others=_table())[module]


@cache
def _tool_sources(package: str) -> dict[str, bytes]:
    return read_sources([package])


def kernel_folder(module: str) -> Path:
    """Return the folder of the machine code of a module's kernels."""
    return cache_folder() / "kernels" / f"{module}-{kernel_key(module)}"


def module_name(path: str) -> str:
    """Return the dotted name of the module at a path relative to the root."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def module_of(file: str) -> str | None:
    """Return the dotted name of the module in a file, None if it is not of this checkout."""
    if not any(Path(file).is_relative_to(ROOT / package) for package in (*PACKAGES, *_TOOLS)):
        return None
    return module_name(Path(file).relative_to(ROOT).as_posix())


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    """Return the keys of all modules of `engine` and `bots`."""
    folder = cache_folder() / "keys"
    stored = folder / source_fingerprint()
    with suppress(OSError, ValueError):  # it is removed or damaged, and made again
        if is_used(stored):
            return dict[str, str](json.loads(stored.read_bytes()))
    sources = read_sources(PACKAGES)
    keys = keys_of(sources)
    # Not by `source_fingerprint`: an edit may have come in between.
    with suppress(OSError):  # the cache may be read-only
        write_entry(folder / fingerprint_of(sources), json.dumps(keys))
    return keys


def _describe(node: object) -> str:
    if isinstance(node, ast.AST):
        fields = (_describe(getattr(node, f, None)) for f in node._fields if f not in _IGNORED)
        return f"{type(node).__name__}({','.join(fields)})"
    if isinstance(node, list):
        return f"[{','.join(_describe(each) for each in node if not _does_nothing(each))}]"
    return repr(node)


def _does_nothing(node: object) -> bool:
    """Return whether a statement is a docstring or `pass`, which stands where one is missing."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Pass)


def _resolve(package: str, level: int, name: str) -> str:
    for _ in range(level - 1):
        package = _parent(package)
    return f"{package}.{name}" if level else name


def _parent(name: str) -> str:
    return name.rpartition(".")[0]


def _with_parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = _parent(name)
