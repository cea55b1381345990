"""Selection of the files in a bot's folder that count as the bot."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bots.errors import SpecError
from db.companion_files import SUFFIXES
from ladder.errors import UsageError
from ladder.names import CONFIG

MOST_FILES = 1000
MOST_MB = 64
SQLITE = b"SQLite format 3\0"
COMPILED = ("__pycache__",)
PAGE = b'<meta name="generator" content="connect4-ladder '
"""Part of the head of every HTML report of the ladder (`reports.html.page`)."""
HEAD = 4096
"""Bytes of the beginning of a file in which `PAGE` is searched."""


def find_folder_files(folder: Path, *, most_files: int = MOST_FILES) -> list[Path]:
    """Return every file below a folder that may belong to the program in it.

    Without hidden files and folders, files that Python compiles by itself, and files of the ladder:
    `ladder.toml`, its databases with the files beside them, and its HTML reports.

    Raises:
        SpecError: there are too many files, or they are too large, for a bot's own folder.

    """
    found = []
    size = 0
    for path in _walk(folder):
        found.append(path)
        size += path.stat().st_size
        if len(found) > most_files or size > MOST_MB << 20:
            raise SpecError(
                f"{folder} holds more than {most_files} files or {MOST_MB} MiB, too much to be one "
                "bot: put the bot into a folder of its own, or name the files of the bot by "
                "patterns, as in `ladder bots add NAME SPEC --files '*.py'`"
            )
    return found


def select_files(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """Return the files that patterns select, such as ``*.py`` or ``weights/**/*.npz``.

    Raises:
        UsageError: a pattern is not valid, or selects no files or too many.

    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        try:
            files = sorted(path for path in folder.glob(pattern) if path.is_file())
        except (ValueError, NotImplementedError) as error:
            problem = f"{pattern!r} is not a pattern of files in {folder}: {error}"
            raise UsageError(problem, option="files") from error
        if not files:
            raise UsageError(f"{pattern!r} selects no file in {folder}", option="files")
        found.update(dict.fromkeys(files))
        if len(found) > MOST_FILES:
            problem = f"{pattern!r} selects more than {MOST_FILES} files: choose a narrower pattern"
            raise UsageError(problem, option="files")
    return list(found)


def _walk(folder: Path) -> Iterator[Path]:
    for place, subfolders, names in os.walk(folder):
        databases = {name for name in names if _is_database(Path(place, name))}
        skipped = {name + suffix for name in databases for suffix in SUFFIXES} | databases
        skipped |= {name for name in (*names, *subfolders) if is_ladders_own(name)}
        subfolders[:] = sorted(_wanted(subfolders, skipped))
        for name in sorted(_wanted(names, skipped)):
            path = Path(place, name)
            if path.is_file() and not _is_page(path):
                yield path


def is_ladders_own(name: str) -> bool:
    """Return whether a file or folder belongs to the ladder by its name.

    These are its configuration and the files beside a database, such as ``ladder.db.locks``, or
    ``ladder.logs`` if the database is on a server.
    """
    beside_files = tuple(f".db{suffix}" for suffix in SUFFIXES)
    beside_servers = {f"ladder{suffix}" for suffix in SUFFIXES}
    return name == CONFIG or name in beside_servers or name.endswith(beside_files)


def _wanted(names: Iterable[str], skipped: set[str]) -> Iterator[str]:
    for name in names:
        if not name.startswith(".") and name not in skipped and name not in COMPILED:
            yield name


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
