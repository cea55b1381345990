"""What follows ``kaggle:`` and ``moves:`` in a specification.

A Kaggle submission may be a notebook by mistake, and may import packages from folders above it.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from bots.errors import SpecError
from engine.board_class import parse_board_classes
from engine.errors import BoardError
from ladder.registry.specs.folder_files import find_imports, find_local_modules, find_module_files
from ladder.registry.specs.programs import find_interpreter, installed_modules

NOTEBOOK = ".ipynb"
WRITES_FILE = re.compile(r"\s*%%writefile\s+(?:-a\s+)?(?P<file>\S+)")
MOST_ABOVE = 4
"""Number of folders above a submission in which its packages are sought."""
NEVER_SOUGHT = frozenset({*sys.stdlib_module_names, "kaggle_environments"})
MOVES = "moves"
OPTIONS = re.compile(r"(?P<options>[a-z]+=[^:\s]*):(?P<command>.*)", re.DOTALL)
UNFINISHED = re.compile(rf"{MOVES}:[a-z]+=[^:]*")
"""A specification whose options continue after a comma."""
VALUES = {"first": ("1", "0"), "answer": ("column", "scores"), "run": ("once", "each")}
"""The values of each option; the first one is the default."""
BOARDS = "boards"
EXAMPLE = f"{MOVES}:first=0,answer=scores:./engine"


def split_target(target: str) -> tuple[str, str]:
    """Return the file and the agent's name of ``FILE[:NAME]``; "" for the last callable."""
    file, _, name = target.rpartition(":")
    return (file, name) if file and name.isidentifier() else (target, "")


def explain_notebook(path: Path) -> str:
    """Return why a notebook is no submission, and which of its cells writes one."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        for number, cell in enumerate(json.loads(path.read_bytes())["cells"], start=1):
            found = WRITES_FILE.match("".join(cell["source"]))
            if found is not None:
                file = Path(found["file"]).name
                return (
                    f"kaggle: {path.name} is a notebook: its cell {number} writes {file} "
                    f"(%%writefile), so run that cell, or save its other lines as {file}, and "
                    f"register kaggle:{file}"
                )
    return (
        f"kaggle: {path.name} is a notebook: export it as Python (`jupyter nbconvert --to script "
        f"{path.name}`), keep what defines the agent, and register kaggle:{path.stem}.py"
    )


def import_folders(entry: Path, python: str) -> list[Path]:
    """Return the folders from which a submission imports its own modules, its own folder first.

    The others lie up to four folders above it. They hold a module that it imports and that is
    neither beside it nor known to the interpreter.

    Args:
        entry: its file.
        python: the interpreter.

    """
    folders = [entry.parent]
    while True:
        homes: dict[str, Path] = {}
        for path in find_local_modules([entry], *folders):
            for name in find_imports(path, *folders):
                top = name.partition(".")[0]
                if top not in NEVER_SOUGHT and not _is_in(name, folders):
                    above = list(entry.parent.parents)[:MOST_ABOVE]
                    home = next((each for each in above if find_module_files(name, each)), None)
                    if home is not None:
                        homes.setdefault(top, home)
        known = installed_modules(python, frozenset(homes)) if homes else frozenset()
        new = {home for name, home in homes.items() if name not in known} - {*folders}
        if not new:
            return folders
        folders += sorted(new)


def top_of(folders: list[Path]) -> Path:
    """Return the highest of the folders from which a submission imports."""
    return Path(os.path.commonpath(folders))


def find_root(spec: str, folder: Path, python: str | None) -> tuple[str, Path] | None:
    """Return a submission's specification in the folder above that holds all of its packages.

    Args:
        spec: the specification of any bot.
        folder: the folder in which it was written, resolved.
        python: the interpreter that the user chose; None for python3 on PATH.

    Returns:
        The specification relative to that folder, and the folder. None for other bots, and if the
        folder in which it was written holds everything.

    """
    kind, _, target = spec.partition(":")
    file, name = split_target(target.strip())
    entry = Path(os.path.normpath(folder / file))
    if kind != "kaggle" or entry.suffix != ".py" or not entry.is_file():
        return None
    top = top_of(import_folders(entry, find_interpreter(python, folder).path))
    if top == folder or not folder.is_relative_to(top):
        return None
    return f"kaggle:{os.path.relpath(entry, top)}" + (name and f":{name}"), top


def _is_in(name: str, folders: list[Path]) -> bool:
    """Return whether one of the folders holds a module, or the package that it belongs to."""
    top = name.partition(".")[0]
    return any(find_module_files(name, each) or (each / top).is_dir() for each in folders)


def read_moves(text: str) -> tuple[tuple[str, ...], str]:
    """Return the words for the host and the command of a specification.

    Args:
        text: what follows ``moves:``.

    Raises:
        SpecError: an option or its value is unknown.

    """
    options, command = split_options(text)
    values = {name: choices[0] for name, choices in VALUES.items()} | {BOARDS: "6x7"}
    for name, value in _option_pairs(options):
        if name not in values:
            raise SpecError(f"{MOVES}: has no option {name!r}: it has {', '.join(values)}")
        if name in VALUES and value not in VALUES[name]:
            choices = " or ".join(f"{name}={each}" for each in VALUES[name])
            raise SpecError(f"{MOVES}: {name}={value} is not possible: write {choices}")
        values[name] = _normal_boards(value) if name == BOARDS else value
    word = command.split(maxsplit=1)[0] if command.strip() else ""
    if not word:
        raise SpecError(f"no command follows the options: write {EXAMPLE}")
    if word.partition("=")[0] in values and "=" in word:
        raise SpecError(f"a colon must stand between the options and the command: write {EXAMPLE}")
    return tuple(values.values()), command.strip()


def split_options(text: str) -> tuple[str, str]:
    """Return the options and the command of what follows ``moves:``."""
    found = OPTIONS.fullmatch(text)
    return ("", text) if found is None else (found["options"], found["command"])


def split_list(text: str) -> list[str]:
    """Return the words of a comma-separated list, in which options may have commas, too."""
    words: list[str] = []
    for word in text.split(","):
        if words and UNFINISHED.fullmatch(words[-1]):
            words[-1] += f",{word}"
        else:
            words.append(word.strip())
    return words


def _option_pairs(options: str) -> Iterator[tuple[str, str]]:
    """Yield each option and its value, in which a list of boards may have commas."""
    for part in re.split(r",(?=[a-z]+=)", options) if options else ():
        name, _, value = part.partition("=")
        yield name, value


def _normal_boards(text: str) -> str:
    """Return a list of boards in its normal form. Raises SpecError."""
    try:
        boards = [each.single for each in parse_board_classes(text)]
    except BoardError as error:
        raise SpecError(f"{MOVES}: {BOARDS}={text}: {error}") from error
    if any(board is None or board.forbidden is not None for board in boards):
        raise SpecError(
            f"{MOVES}: {BOARDS}={text} is not possible: write sizes without a forbidden cell, such "
            "as 6x7"
        )
    return ",".join(map(str, boards))
