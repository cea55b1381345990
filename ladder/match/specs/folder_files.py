"""The files of a bot's folder that count as the bot when nobody can tell which of them it uses."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bots.errors import SpecError
from db import beside
from ladder.names import CONFIG

MOST_FILES = 1000
MOST_MB = 64
SQLITE = b"SQLite format 3\0"
COMPILED_BY_ITSELF = ("__pycache__",)
PAGE = b'<meta name="generator" content="connect4-ladder '
"""In the head of every page that the ladder writes (`reports.html.page`)."""
HEAD = 4096
"""Bytes in which a page names its generator."""


def whole_folder(folder: Path) -> list[Path]:
    """Every file below a folder that may belong to the program in it.

    Left out are hidden files and folders, what Python compiles by itself, and what the ladder reads
    and writes: `ladder.toml`, its databases with the files beside them, and its HTML reports.

    Raises:
        SpecError: there are too many, or they are too large, for a bot's own folder.

    """
    found = []
    size = 0
    for path in _walk(folder):
        found.append(path)
        size += path.stat().st_size
        if len(found) > MOST_FILES or size > MOST_MB << 20:
            raise SpecError(
                f"{folder} holds more than {MOST_FILES} files or {MOST_MB} MiB, too much to be one "
                "bot: put the bot into a folder of its own, or say which files are the bot with "
                "--files, such as --files '*.py'"
            )
    return found


def selected(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The files that ``--files`` patterns select, such as ``*.py`` or ``weights/**/*.npz``.

    Raises:
        SpecError: a pattern is none, selects nothing, or selects too much.

    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        try:
            files = sorted(path for path in folder.glob(pattern) if path.is_file())
        except (ValueError, NotImplementedError) as error:
            raise SpecError(
                f"--files {pattern!r} is no pattern of files in {folder}: {error}"
            ) from error
        if not files:
            raise SpecError(f"--files {pattern!r} selects no file in {folder}")
        found.update(dict.fromkeys(files))
        if len(found) > MOST_FILES:
            raise SpecError(f"--files selects more than {MOST_FILES} files")
    return list(found)


def _walk(folder: Path) -> Iterator[Path]:
    for place, subfolders, names in os.walk(folder):
        databases = {name for name in names if _is_database(Path(place, name))}
        skipped = {name + suffix for name in databases for suffix in beside.ALL} | databases
        skipped |= {name for name in (*names, *subfolders) if is_ladders_own(name)}
        subfolders[:] = sorted(_wanted(subfolders, skipped))
        for name in sorted(_wanted(names, skipped)):
            path = Path(place, name)
            if path.is_file() and not _is_page(path):
                yield path


def is_ladders_own(name: str) -> bool:
    """Return whether a file or folder of this name is the ladder's, with or without its database.

    Such are its configuration and what lies beside a database, such as ``ladder.db.locks``, or
    ``ladder.logs`` where the database is on a server.
    """
    beside_files = tuple(f".db{suffix}" for suffix in beside.ALL)
    beside_servers = {f"ladder{suffix}" for suffix in beside.ALL}
    return name == CONFIG or name in beside_servers or name.endswith(beside_files)


def _wanted(names: Iterable[str], skipped: set[str]) -> Iterator[str]:
    for name in names:
        if not name.startswith(".") and name not in skipped and name not in COMPILED_BY_ITSELF:
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
