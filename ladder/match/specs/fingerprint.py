"""The ingredients of a bot from outside: its files, the modules it imports, its interpreter."""

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from bots.errors import SpecError
from db.records.launch import FileState
from ladder.match.specs.file_state import look_at

VERSION_S = 10.0
"""How long an interpreter may take to tell its version."""
NAMED = 5
"""Ingredients named in a sentence, at most."""
_DIGEST = re.compile(r"[0-9a-f]{16}")
PYTHON = re.compile(r"(python|pypy)[-0-9.]*")
"""Names of Python interpreters."""
UNKNOWN = "version unknown"
ASK_PYTHON = "import sys; print(sys.executable); print(sys.version)"


class Ingredients:
    """Everything that a bot is made of, as it is found.

    Attributes:
        values: a file with its hash, a program with its version, or an option with its value.
        states: the files among them.

    """

    def __init__(self, folder: Path, registered: Mapping[str, str]) -> None:
        """Start with nothing.

        Args:
            folder: files in it are named relative to it, others by their absolute path.
            registered: programs that the bot was registered with on another machine; equal ones
                count as those, wherever they are.

        """
        self.folder = folder
        self._registered = registered
        self.values: dict[str, str] = {}
        self.states: list[FileState] = []
        self._seen: set[Path] = set()

    def add_values(self, values: Mapping[str, str]) -> None:
        """Options."""
        self.values.update(values)

    def add_programs(self, found: Mapping[str, str]) -> None:
        """Programs from outside the folder, with their versions."""
        for program in found.items():
            same = (known for known in self._registered.items() if is_same_program(known, program))
            name, version = next(same, program)
            self.values[name] = version

    def add_file(self, path: Path, name: str | None = None) -> None:
        """A file, under a name of its own if one is given. Raises OSError."""
        path = Path(os.path.normpath(path))
        if path in self._seen:
            return
        self._seen.add(path)
        if name is None:
            inside = path.is_relative_to(self.folder)
            name = str(path.relative_to(self.folder) if inside else path)
        state = look_at(path)
        self.values[name] = state.digest
        self.states.append(state)

    def add_files(self, paths: Iterable[Path]) -> None:
        """Several files. Raises OSError."""
        for path in paths:
            self.add_file(path)


def changed_files(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """The ingredients of a bot that differ: ``changed``, ``new`` or ``gone`` by name."""
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
    """Return the ingredients of a bot that differ as words, such as ``bot.py changed``."""
    changes = changed_files(then, now)
    words = []
    for old, new in moved_programs(then, now).items():
        del changes[old], changes[new]
        name, is_same = Path(old).name, is_same_program((old, then[old]), (new, now[new]))
        words.append(
            f"{name} is {new} here, and was {old} when it was registered"
            if is_same
            else f"{name} is {now[new]} here, and was {then[old]} when it was registered"
        )
    for name, word in changes.items():
        versions = word == "changed" and not is_digest(now[name])
        words.append(f"{name} is {now[name]}, not {then[name]}" if versions else f"{name} {word}")
    if len(words) > NAMED:
        words[NAMED:] = [f"and {len(words) - NAMED} more"]
    return ", ".join(words)


def is_same_program(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Return whether two programs, each a path and a version, have the same name and version.

    Of Python interpreters only the kind and the number of the version count.
    """
    return _name_and_version(*one) == _name_and_version(*other)


def _name_and_version(path: str, version: str) -> tuple[str, str]:
    name = Path(path).name
    number = re.search(r"[0-9]+(\.[0-9]+)+", version)
    if PYTHON.fullmatch(name) and number is not None:
        return ("pypy" if "PyPy" in version else "python"), number[0]
    return (path if version == UNKNOWN else name), version


def moved_programs(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return the programs that are found elsewhere now, by their former path."""
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


def same_environment(former: str) -> str:
    """Return the advice about a program that is not found where it was."""
    return (
        "run the command in the environment in which the bot was registered, such as with "
        f"PATH={Path(former).parent}:$PATH"
    )


def programs(ingredients: Mapping[str, str]) -> dict[str, str]:
    """Return the programs found on PATH among ingredients, with their versions."""
    return {name: value for name, value in ingredients.items() if is_program(name, value)}


def is_program(name: str, value: str) -> bool:
    """Return whether an ingredient is a program found on PATH, and its value a version."""
    return Path(name).is_absolute() and not is_digest(value)


def is_digest(value: str) -> bool:
    """Return whether the value of an ingredient is the hash of a file."""
    return _DIGEST.fullmatch(value) is not None


def program(word: str, folder: Path) -> dict[str, str]:
    """A program found on PATH counts by its path and what it says about its version.

    Raises:
        SpecError: there is none.

    """
    found = shutil.which(word)
    if found is None:
        remedy = "write a path such as ./mybot"
        if (folder / f"{word}.py").is_file():
            remedy = f"did you mean python3 {word}.py?"
        elif (folder / Path(word).name).is_file():
            remedy = f"did you mean ./{Path(word).name}?"
        raise SpecError(f"{word!r} is neither a file in {folder} nor a program on PATH: {remedy}")
    lines = (_output(found, "--version") or "").strip().splitlines()
    return {found: lines[0] if lines else UNKNOWN}


def interpreter(python: str | None, folder: Path) -> tuple[str, dict[str, str]]:
    """The Python that hosts a bot: its own path behind any shim, and its version.

    Args:
        python: a program or a path, relative to the folder; None: python3 on PATH.
        folder: where the bot is registered.

    Raises:
        SpecError: it cannot be started, or is older than 3.8.

    """
    word = python or "python3"
    path = folder / word
    found = str(path) if path.is_file() else shutil.which(word)
    if found is None:
        raise SpecError(f"--python: {word!r} is neither a file nor a program on PATH")
    # A shim would look for its settings in HOME, which a bot does not have.
    lines = (_output(found, "-c", ASK_PYTHON) or "").splitlines()
    if len(lines) < 2 or not lines[0]:
        raise SpecError(f"--python: {found} does not answer as a Python interpreter")
    version = tuple(int(number) for number in lines[1].split()[0].rstrip("+").split(".")[:2])
    if version < (3, 8):
        raise SpecError(f"--python: {found} is Python {lines[1].split()[0]}, and 3.8 is needed")
    return lines[0], {lines[0]: lines[1]}


@cache
def _output(found: str, *words: str) -> str | None:
    try:
        done = subprocess.run(
            [found, *words],
            capture_output=True,
            text=True,
            timeout=VERSION_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout or done.stderr


def local_modules(entries: Sequence[Path], beside: Path) -> list[Path]:
    """Return Python files and all files that they import from their own folder.

    Found by reading import statements; what is imported by other means is not seen.

    Args:
        entries: the files.
        beside: the folder that comes first on its import path.

    """
    found: set[Path] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in _imported(path, beside):
            waiting.extend(_imported_files(name, beside))
    return sorted(found)


def _imported(path: Path, beside: Path) -> list[str]:
    """Every dotted name that the file's import statements may mean."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return []  # written for another Python, or wrong: its own interpreter will tell
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
                if not package.is_relative_to(beside):
                    continue
                above = ".".join(package.relative_to(beside).parts)
                base = ".".join(part for part in (above, base) if part)
            names.append(base)
            names += [f"{base}.{alias.name}" if base else alias.name for alias in node.names]
    return names


def module_files(name: str, folder: Path) -> list[Path]:
    """Return the files that `python -m NAME` runs, as far as they lie in the folder."""
    package = folder.joinpath(*name.split("."), "__main__.py")
    return [*_imported_files(name, folder), *([package] if package.is_file() else [])]


def _imported_files(name: str, beside: Path) -> list[Path]:
    """The files that importing a dotted name executes, as far as they lie in the folder."""
    files = []
    place = beside
    for part in name.split("."):
        place = place / part
        for path in (place / "__init__.py", place.with_name(part + ".py")):
            if path.is_file():
                files.append(path)
                break
    return files
