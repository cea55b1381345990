"""Selection of the files in a bot's folder that belong to the bot: none that the ladder writes."""

import ast
import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from db.companion_files import SUFFIXES
from engine.cache import cache_root
from ladder.errors import UsageError
from ladder.names import CONFIG

MOST_FILES = 1000
"""Most files of a folder that is taken to be one bot."""
ENVIRONMENT = "pyvenv.cfg"
"""The file by which Python knows its own environments."""
SQLITE = b"SQLite format 3\0"
COMPILED = "__pycache__"
REPORTS = {
    ".html": b'<meta name="generator" content="connect4-ladder ',
    ".md": b"### ladder ",
    ".xml": b'<testsuite name="ladder ',
}
"""By the suffix, part of the head of every report of the ladder: a page (`reports.html.page`), or a
summary or JUnit results (`reports.findings.finding`)."""
HOST = "bots/host.py"
"""The file by which this project's own sources are known."""
PROGRAM = (HOST, "engine/board.py")
"""Files by which the folder of the ladder's program is known."""
HEAD = 4096
"""Bytes of the beginning of a file in which the marks of `REPORTS` are searched."""
STANDARD = (1, 2)
"""Descriptors of the standard output and error."""
PROC = Path("/proc")


def find_folder_files(folder: Path, most_bytes: int) -> list[Path] | None:
    """Return what lies below a folder and may belong to the program in it; None if too much.

    These are files, links and empty folders, without hidden ones, Python environments, files that
    Python compiles by itself, and files of the ladder: its program and caches, `ladder.toml`, its
    databases with the files beside them, its reports, and what this command prints into.
    """
    if _is_program(folder):
        return None
    found = []
    size = 0
    for path in _walk(folder, is_everything=False):
        found.append(path)
        size += path.lstat().st_size
        if len(found) > MOST_FILES or size > most_bytes:
            return None
    return found


def find_tree_files(folder: Path) -> Iterator[Path]:
    """Yield what lies below a folder, apart from environments and what Python compiles."""
    return _walk(folder, is_everything=True)


def select_files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """Return the files that patterns select, such as ``*.py`` or ``weights/**/*.npz``.

    Raises:
        UsageError: a pattern is not valid, or selects no files.

    """
    found: list[Path] = []
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
        found += files
    return found


def is_environment(folder: Path) -> bool:
    """Return whether a folder is a Python environment."""
    return (folder / ENVIRONMENT).exists()


def is_ladders_file(path: Path) -> bool:
    """Return whether a file or folder belongs to the ladder by its name or its content.

    By their names these are its configuration and the files beside a database, such as
    ``ladder.db.locks``, or ``ladder.logs`` if the database is on a server.
    """
    beside = tuple(f".db{suffix}" for suffix in SUFFIXES)
    names = (CONFIG, *(f"ladder{suffix}" for suffix in SUFFIXES))
    return (
        path.name in names
        or path.name.endswith(beside)
        or _is_database(path)
        or _is_report(path)
        or _is_program(path)
        or path == cache_root().resolve()
        or is_output(path)
    )


def find_left_out(home: Path, paths: Iterable[Path]) -> tuple[str, ...]:
    """Return what lies in a folder and holds nothing of the bot."""
    taken = {path.relative_to(home).parts[0] for path in paths if home in path.parents}
    with suppress(OSError):
        return tuple(
            path.name
            for path in sorted(home.iterdir())
            if path.name not in {*taken, COMPILED} and not is_ladders_file(path)
        )
    return ()


def find_local_modules(entries: Sequence[Path], *import_folders: Path) -> list[Path]:
    """Return Python files and all files that they import from their own folders.

    Only import statements are read; files that are imported in other ways are not found.

    Args:
        entries: the files.
        import_folders: the folders that come first on their import path.

    """
    found: set[Path] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            for name in find_imports(path, *import_folders):
                homes = (find_module_files(name, folder) for folder in import_folders)
                waiting += next(filter(None, homes), [])
    return sorted(found)


def find_imports(path: Path, *import_folders: Path) -> Iterator[str]:
    """Yield every dotted name that a file's import statements may mean."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # for another Python, or wrong: its interpreter reports it
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = [node.module] if node.module else []
            if node.level:
                package = path.parents[min(node.level, len(path.parents)) - 1]
                home = next((each for each in import_folders if package.is_relative_to(each)), None)
                if home is None:
                    continue
                parts = [*package.relative_to(home).parts, *parts]
            yield from (".".join([*parts, alias.name]) for alias in node.names)


def find_module_files(name: str, folder: Path) -> list[Path]:
    """Return the files in a folder that the import of a dotted name runs."""
    files = []
    for part in name.split("."):
        folder /= part
        choices = (folder / "__init__.py", folder.parent / f"{part}.py")
        files += [path for path in choices if path.is_file()][:1]
    return files


def _walk(folder: Path, *, is_everything: bool) -> Iterator[Path]:
    for each, subfolders, names in os.walk(folder):
        place = Path(each)
        skipped = {name for name in subfolders if is_environment(place / name)} | {COMPILED}
        if not is_everything:
            databases = [name for name in names if _is_database(place / name)]
            skipped.update(name + suffix for name in databases for suffix in SUFFIXES)
            everything = (*names, *subfolders)
            skipped.update(n for n in everything if n[0] == "." or is_ladders_file(place / n))
        links = {name for name in subfolders if (place / name).is_symlink()}
        subfolders[:] = sorted({*subfolders} - skipped - links)
        for path in (place / name for name in sorted({*names, *links} - skipped)):
            if path.is_symlink() or path.is_file():
                yield path
        if not names and not subfolders and not links and place != folder:
            yield place


def _is_program(folder: Path) -> bool:
    return all((folder / name).is_file() for name in PROGRAM)


def _is_database(path: Path) -> bool:
    head = _head(path)
    return head.startswith(SQLITE) or (head == b"" and path.suffix == ".db")


def _is_report(path: Path) -> bool:
    mark = REPORTS.get(path.suffix)
    return mark is not None and mark in _head(path)


def _head(path: Path) -> bytes:
    """Return the beginning of a file; a space if the path is no file or cannot be read."""
    with suppress(OSError):
        if path.is_file():  # a pipe would be waited for
            with path.open("rb") as file:
                return file.read(HEAD)
    return b" "


def is_output(path: Path, outputs: Collection[Path] = ()) -> bool:
    """Return whether this command writes a file.

    It writes some files by options, and those into which its output is redirected or piped, as by
    ``| tee out.log``.
    """
    with suppress(OSError):
        return path.is_file() and any(
            os.path.samestat(path.stat(), each) for each in _open_outputs(outputs)
        )
    return False


def _open_outputs(outputs: Collection[Path]) -> Iterator[os.stat_result]:
    """Yield the state of each file that this command writes and that exists."""
    places: tuple[int | Path, ...] = (*STANDARD, *outputs)
    for each in places:
        with suppress(OSError):
            yield os.stat(each)
    yield from _written_behind(frozenset(_pipes_of(PROC / "self")))


def _pipes_of(process: Path) -> Iterator[str]:
    """Yield the names of the pipes that are a process's standard output and error."""
    for each in STANDARD:
        with suppress(OSError):
            target = os.readlink(process / "fd" / str(each))
            if target.startswith("pipe:"):
                yield target


@cache
def _written_behind(pipes: frozenset[str]) -> list[os.stat_result]:
    """Return the files that programs write whose input is one of these pipes, or comes from it.

    Where the system does not show what they have open, none are found.
    """
    readers: dict[str, list[Path]] = {}
    for process in PROC.glob("[0-9]*") if pipes else ():
        with suppress(OSError):  # it is another user's, or has ended
            readers.setdefault(os.readlink(process / "fd" / "0"), []).append(process)
    found, waiting = [], list(pipes)
    while waiting:
        for process in readers.pop(waiting.pop(), ()):
            waiting += _pipes_of(process)
            with suppress(OSError):
                # The link of a descriptor has the permissions for which the file was opened.
                found += [
                    link.stat()
                    for link in (process / "fd").iterdir()
                    if link.lstat().st_mode & stat.S_IWUSR and link.is_file()
                ]
    return found
