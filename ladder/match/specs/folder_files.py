"""Selection of the files in a bot's folder that belong to the bot."""

import ast
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from db.companion_files import SUFFIXES
from ladder.errors import UsageError
from ladder.match.specs.programs import ENVIRONMENT
from ladder.names import CONFIG

MOST_FILES = 1000
"""Most files of a folder that is taken to be one bot."""
SQLITE = b"SQLite format 3\0"
COMPILED = "__pycache__"
PAGE = b'<meta name="generator" content="connect4-ladder '
"""Part of the head of every HTML report of the ladder (`reports.html.page`)."""
HEAD = 4096
"""Bytes of the beginning of a file in which `PAGE` is searched."""


def find_folder_files(folder: Path, most_bytes: int) -> list[Path] | None:
    """Return what lies below a folder and may belong to the program in it; None if too much.

    These are files, links and empty folders, without hidden ones, Python environments, files that
    Python compiles by itself, and files of the ladder: `ladder.toml`, its databases with the files
    beside them, and its HTML reports.
    """
    found = []
    size = 0
    for path in _walk(folder, is_everything=False):
        found.append(path)
        size += path.lstat().st_size
        if len(found) > MOST_FILES or size > most_bytes:
            return None
    return found


def find_tree_files(folder: Path) -> list[Path]:
    """Return what lies below a folder, apart from environments and what Python compiles."""
    return list(_walk(folder, is_everything=True))


def select_files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """Return the files that patterns select, such as ``*.py`` or ``weights/**/*.npz``.

    Raises:
        UsageError: a pattern is not valid, or selects no files.

    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        try:
            chosen = sorted(folder.glob(pattern))
        except (ValueError, NotImplementedError) as error:
            problem = f"{pattern!r} is not a pattern of files in {folder}: {error}"
            raise UsageError(problem, option="files") from error
        files = [path for path in chosen if not path.is_dir() or path.is_symlink()]
        for place in chosen:
            if place.is_dir() and not place.is_symlink() and "**" not in pattern:
                files += _walk(place, is_everything=False)
        if not files:
            raise UsageError(f"{pattern!r} selects no file in {folder}", option="files")
        found.update(dict.fromkeys(files))
    return list(found)


def is_environment(folder: str | Path) -> bool:
    """Return whether a folder is a Python environment."""
    return os.path.exists(os.path.join(folder, ENVIRONMENT))


def is_ladders_file(path: Path) -> bool:
    """Return whether a file or folder belongs to the ladder by its name or its content."""
    return is_ladders_own(path.name) or _is_database(path) or _is_page(path)


def is_ladders_own(name: str) -> bool:
    """Return whether a file or folder belongs to the ladder by its name.

    These are its configuration and the files beside a database, such as ``ladder.db.locks``, or
    ``ladder.logs`` if the database is on a server.
    """
    beside_files = tuple(f".db{suffix}" for suffix in SUFFIXES)
    beside_servers = {f"ladder{suffix}" for suffix in SUFFIXES}
    return name == CONFIG or name in beside_servers or name.endswith(beside_files)


def _walk(folder: Path, *, is_everything: bool) -> Iterator[Path]:
    for place, subfolders, names in os.walk(folder):
        skipped = {name for name in subfolders if is_environment(os.path.join(place, name))}
        skipped.add(COMPILED)
        if not is_everything:
            databases = {name for name in names if _is_database(Path(place, name))}
            skipped |= {name + suffix for name in databases for suffix in SUFFIXES} | databases
            everything = (*names, *subfolders)
            skipped |= {name for name in everything if name[0] == "." or is_ladders_own(name)}
        links = [name for name in subfolders if os.path.islink(os.path.join(place, name))]
        subfolders[:] = sorted({*subfolders} - skipped - {*links})
        found = sorted({*names, *links} - skipped)
        for name in found:
            path = Path(place, name)
            if path.is_symlink() or (path.is_file() and (is_everything or not _is_page(path))):
                yield path
        if not names and not subfolders and not links and place != str(folder):
            yield Path(place)


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            head = file.read(len(SQLITE))
            return head == SQLITE or (not head and path.suffix == ".db")
    except OSError:
        return False


def _is_page(path: Path) -> bool:
    if path.suffix != ".html":
        return False
    try:
        with path.open("rb") as file:
            return PAGE in file.read(HEAD)
    except OSError:
        return False


def find_local_modules(entries: Sequence[Path], import_folder: Path) -> list[Path]:
    """Return Python files and all files that they import from their own folder.

    Only import statements are read; files that are imported in other ways are not found.

    Args:
        entries: the files.
        import_folder: the folder that comes first on their import path.

    """
    found: set[Path] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in _find_imports(path, import_folder):
            waiting.extend(_find_imported_files(name, import_folder))
    return sorted(found)


def _find_imports(path: Path, import_folder: Path) -> list[str]:
    """Return every dotted name that a file's import statements may mean."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # for another Python, or wrong: its interpreter reports it
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = path.parent
                for _ in range(node.level - 1):
                    package = package.parent
                if not package.is_relative_to(import_folder):
                    continue
                above = ".".join(package.relative_to(import_folder).parts)
                base = ".".join(part for part in (above, base) if part)
            names.append(base)
            names += [f"{base}.{alias.name}" if base else alias.name for alias in node.names]
    return names


def find_module_files(name: str, folder: Path) -> list[Path]:
    """Return the files in a folder that `python -m NAME` runs."""
    package = folder.joinpath(*name.split("."), "__main__.py")
    return [*_find_imported_files(name, folder), *([package] if package.is_file() else [])]


def _find_imported_files(name: str, import_folder: Path) -> list[Path]:
    """Return the files in a folder that the import of a dotted name runs."""
    files = []
    place = import_folder
    for part in name.split("."):
        place = place / part
        for path in (place / "__init__.py", place.with_name(part + ".py")):
            if path.is_file():
                files.append(path)
                break
    return files
