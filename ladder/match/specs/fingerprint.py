"""The ingredients of a foreign bot: its files, the modules that it imports, its programs."""

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bots.errors import SpecError
from db.records.launch import FileState
from ladder.match.specs.file_state import read_file_state

VERSION_S = 10.0
"""How long a program may take to print its version."""
MOST_NAMED = 5
"""Maximum number of ingredients named in a message."""
_DIGEST = re.compile(r"[0-9a-f]{16}")
PYTHON = re.compile(r"(python|pypy)[-0-9.]*")
"""Names of Python interpreters."""
UNKNOWN = "version unknown"
ASK_PYTHON = "import sys; print(sys.executable); print(sys.version)"


class Program(NamedTuple):
    """A program outside of a bot's folder."""

    path: str
    version: str
    """The first line of what it prints when asked for its version, or `UNKNOWN`."""


class Ingredients:
    """The ingredients of a bot, collected one after the other.

    Attributes:
        values: files with their hash, programs with their version, options with their value.
        states: the states of the files among them.

    """

    def __init__(self, folder: Path, remote_programs: Mapping[str, str]) -> None:
        """Create an empty collection.

        Args:
            folder: files in it are named relative to it, other files by their absolute path.
            remote_programs: programs, by path with version, with which the bot was registered on
                another machine; a program of the same name and version counts as the same.

        """
        self.folder = folder
        self._remote_programs = remote_programs
        self.values: dict[str, str] = {}
        self.states: list[FileState] = []
        self._seen: set[Path] = set()

    def add_program(self, program: Program) -> None:
        """Add a program from outside the folder."""
        remote = self._remote_programs.items()
        path, version = next((each for each in remote if is_same_program(each, program)), program)
        self.values[path] = version

    def add_file(self, path: Path, name: str | None = None) -> None:
        """Add a file, under `name` if it is given. Raises OSError."""
        path = Path(os.path.normpath(path))
        if path in self._seen:
            return
        self._seen.add(path)
        if name is None:
            inside = path.is_relative_to(self.folder)
            name = str(path.relative_to(self.folder) if inside else path)
        state = read_file_state(path)
        self.values[name] = state.digest
        self.states.append(state)

    def add_files(self, paths: Iterable[Path]) -> None:
        """Add several files. Raises OSError."""
        for path in paths:
            self.add_file(path)


def changed_files(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return ``changed``, ``new`` or ``gone`` for each ingredient that differs, by name."""
    words = {}
    for name in sorted({*then, *now}):
        if name not in now:
            words[name] = "gone"
        elif name not in then:
            words[name] = "new"
        elif then[name] != now[name]:
            words[name] = "changed"
    return words


def describe_changes(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return the ingredients that differ as words, such as ``bot.py changed``."""
    changes = changed_files(then, now)
    words = []
    for old, new in find_moved_programs(then, now).items():
        del changes[old], changes[new]
        name, is_same = Path(old).name, is_same_program((old, then[old]), (new, now[new]))
        here, former = (new, old) if is_same else (now[new], then[old])
        words.append(f"{name} is {here} here, and was {former} when it was registered")
    for name, word in changes.items():
        versions = word == "changed" and not is_digest(now[name])
        words.append(f"{name} is {now[name]}, not {then[name]}" if versions else f"{name} {word}")
    if len(words) > MOST_NAMED:
        words[MOST_NAMED:] = [f"and {len(words) - MOST_NAMED} more"]
    return ", ".join(words)


def is_same_program(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two programs, each a path and a version, have the same name and version.

    Python interpreters are equal if kind (python or pypy) and version number are.
    """
    return _name_and_version(*one) == _name_and_version(*other)


def _name_and_version(path: str, version: str) -> tuple[str, str]:
    name = Path(path).name
    number = re.search(r"[0-9]+(\.[0-9]+)+", version)
    if PYTHON.fullmatch(name) and number is not None:
        return ("pypy" if "PyPy" in version else "python"), number[0]
    return (path if version == UNKNOWN else name), version


def find_moved_programs(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the new paths of programs that have moved, by their former path."""
    words = changed_files(then, now)
    news = {
        Path(name).name: name
        for name, word in words.items()
        if word == "new" and is_program(name, now[name])
    }
    return {
        name: news[Path(name).name]
        for name, word in words.items()
        if word == "gone" and is_program(name, then[name]) and Path(name).name in news
    }


def environment_advice(former: str) -> str:
    """Return the advice about a program that is no longer where it was."""
    return (
        "run the command in the environment in which the bot was registered, such as with "
        f"PATH={Path(former).parent}:$PATH"
    )


def select_programs(ingredients: Mapping[str, str]) -> dict[str, str]:
    """Return the programs found on PATH among ingredients, with their versions."""
    return {name: value for name, value in ingredients.items() if is_program(name, value)}


def is_program(name: str, value: str) -> bool:
    """Return whether an ingredient is a program from PATH with its version."""
    return Path(name).is_absolute() and not is_digest(value)


def is_digest(value: str) -> bool:
    """Return whether the value of an ingredient is the hash of a file."""
    return _DIGEST.fullmatch(value) is not None


def find_program(word: str, folder: Path) -> Program:
    """Return a program on PATH; `folder` serves for proposals in the message.

    Raises:
        SpecError: there is no such program.

    """
    found = shutil.which(word)
    if found is None:
        remedy = "write a path such as ./mybot"
        if (folder / f"{word}.py").is_file():
            remedy = f"did you mean python3 {word}.py?"
        elif (folder / Path(word).name).is_file():
            remedy = f"did you mean ./{Path(word).name}?"
        raise SpecError(f"{word!r} is neither a file in {folder} nor a program on PATH: {remedy}")
    lines = _read_output(found, "--version").strip().splitlines()
    return Program(found, lines[0] if lines else UNKNOWN)


def find_interpreter(python: str | None, folder: Path) -> Program:
    """Find the Python interpreter that hosts a bot.

    Args:
        python: a program or a path, relative to the folder; None: python3 on PATH.
        folder: the bot's folder.

    Returns:
        The interpreter itself, even if it was found through a shim.

    Raises:
        SpecError: it cannot be started, or is older than 3.8.

    """
    word = python or "python3"
    path = folder / word
    found = str(path) if path.is_file() else shutil.which(word)
    if found is None:
        raise SpecError(f"the interpreter {word!r} is neither a file nor a program on PATH")
    # Not the path of a shim: a shim reads its settings from HOME, which a bot does not have.
    lines = _read_output(found, "-c", ASK_PYTHON).splitlines()
    if len(lines) < 2 or not lines[0]:
        raise SpecError(f"{found} is not a Python interpreter: it did not report its version")
    version = tuple(int(number) for number in lines[1].split()[0].rstrip("+").split(".")[:2])
    if version < (3, 8):
        number = lines[1].split()[0]
        raise SpecError(f"the interpreter {found} is Python {number}: choose 3.8 or later")
    return Program(lines[0], lines[1])


@cache
def _read_output(program: str, *words: str) -> str:
    """Return what a program prints on stdout, or else on stderr; "" if it cannot be run."""
    try:
        done = subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            timeout=VERSION_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout or done.stderr


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
