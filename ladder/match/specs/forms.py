"""The forms of specifications of foreign bots: how each is started, and what it names."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from bots.errors import SpecError
from db.records.launch import Launch
from db.records.restart import Restart
from ladder.errors import UsageError
from ladder.match.specs.folder_files import find_module_files, is_environment

VERSION_S = 10.0
"""How long a program may take to print its version."""
PYTHON = re.compile(r"(python|pypy)[-0-9.]*")
"""Names of Python interpreters."""
INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|luajit|java|dotnet|julia|Rscript|R|"
    r"guile|racket|tclsh|erl|escript|bash|dash|zsh|sh)[-0-9.]*(\.exe)?"
)
"""Names of programs that run source files."""
SOURCE = re.compile(r"\.(py|m?js|ts|rb|pl|php|lua|jar|jl|R|rkt|tcl|sh)$")
"""Endings of files that interpreters run."""
UNKNOWN = "version unknown"
ASK_PYTHON = "import sys; print(sys.executable); print(sys.version)"
PYTHON_FORMS = ("python", "kaggle")
"""Kinds of specifications whose bot is hosted by an interpreter."""
THU_ADDRESS_MB = 1536
"""The course allows a process 1 GiB; the rest is for Python and shared libraries."""


class Program(NamedTuple):
    """A program outside of a bot's files."""

    path: str
    version: str
    """The first line of what it prints when asked for its version, or `UNKNOWN`."""


def find_program(word: str, folder: Path) -> Program:
    """Return a program by its path, which is relative to a folder, or by its name on PATH.

    Raises:
        SpecError: there is no such program on PATH.

    """
    path = os.path.normpath(folder / word) if "/" in word else shutil.which(word)
    if path is None:
        remedy = "write a path such as ./mybot"
        if (folder / f"{word}.py").is_file():
            remedy = f"did you mean python3 {word}.py?"
        elif (folder / word).is_file():
            remedy = f"did you mean ./{word}?"
        raise SpecError(f"{word!r} is not a program on PATH: {remedy}")
    lines = _read_output(path, "--version").strip().splitlines()
    return Program(os.path.abspath(path), lines[0] if lines else UNKNOWN)


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
    number = lines[1].split()[0].rstrip("+")
    if tuple(map(int, number.split(".")[:2])) < (3, 8):
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


@dataclass(slots=True)
class SpecReader:
    """A specification that is being read: its folders, and what it means."""

    folder: Path
    """The folder in which it was written."""
    root: Path
    """The folder that all files of the bot must lie in."""
    python: str | None
    """The interpreter that the user chose; None for python3 on PATH."""
    named: list[Path] = field(default_factory=list)
    """Named files and folders."""
    programs: list[Program] = field(default_factory=list)
    """Programs outside of the bot's files."""
    scripts: Sequence[Path] = ()
    """The Python files that run first."""
    home: Path = Path()
    """The folder of its program or entry file."""
    is_whole: bool = True
    """Whether all of that folder may belong to the bot."""

    def find(self, word: str) -> Path | None:
        """Return the file or folder that a word names, or None; environments are not searched.

        Raises:
            UsageError: it is a file outside of the root.

        """
        path = Path(os.path.normpath(self.folder / word))
        if not os.path.lexists(path):
            return None
        if not path.is_relative_to(self.root):
            if path.is_file():
                raise UsageError(
                    f"{word} lies outside of {self.root}, whose files are stored: copy it there, "
                    "or run the command in a folder above both"
                )
            return None
        return None if self.is_in_environment(path) else path

    def is_in_environment(self, path: Path) -> bool:
        """Return whether a path lies in a Python environment below the root."""
        return any(is_environment(each) for each in path.parents if each.is_relative_to(self.root))

    def relative(self, path: Path) -> str:
        """Return a path below the root relative to the folder."""
        return os.path.relpath(path, self.folder)

    def take_file(self, file: str, prefix: str = "") -> Path:
        """Return a file that belongs to the bot. Raises SpecError if it is missing."""
        path = self.find(file)
        if path is None or not path.is_file():
            raise SpecError(f"{prefix}there is no file {file} in {self.folder}")
        self.named.append(path)
        return path


def _read_program(host: str | None, reader: SpecReader, command: str) -> Launch:
    """Read a command, and find the folder of its program."""
    try:
        word, *others = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be read: {error}") from error
    program = None
    if _is_elsewhere(word, reader):
        found = find_program(word, reader.folder)
        reader.programs.append(found)
        program, first = found.path, Path(found.path)
    else:
        first = reader.take_file(word)
        word = os.path.join(".", reader.relative(first))
    before = len(reader.named)
    words = (word, *(_localized(each, reader) for each in others))
    arguments = [path for path in reader.named[before:] if not path.is_dir()]
    runs_sources = INTERPRETER.fullmatch(first.name) is not None
    source = next((each for each in words[1:] if not each.startswith("-")), "")
    if runs_sources and SOURCE.search(source) and not os.path.lexists(reader.folder / source):
        raise SpecError(f"there is no file {source} in {reader.folder}")
    sources = arguments[:1] if runs_sources or program is not None else []
    is_python = PYTHON.fullmatch(first.name) is not None
    reader.home = reader.folder if program is not None else first.parent
    if is_python and "-m" in words[:-1]:
        module = words[words.index("-m") + 1]
        reader.scripts = find_module_files(f"{module}.__main__", reader.folder)
        reader.home = reader.folder
    elif sources:
        reader.scripts = [path for path in sources if is_python or path.suffix == ".py"]
        reader.home = sources[0].parent
    elif program is None and _head(first).startswith(b"#!") and b"python" in _head(first):
        reader.scripts = [first]
    reader.is_whole = bool(runs_sources or sources) or not _is_compiled(first)
    return Launch(command=words, folder=str(reader.folder), program=program, host=host)


def _read_python(reader: SpecReader, target: str) -> Launch:
    where, _, name = target.rpartition(":")
    if not where or not name.isidentifier():
        raise SpecError(
            f"python:{target} does not name a class: write python:path/to/file.py:Class or "
            "python:package.module:Class"
        )
    if where.endswith(".py"):
        entry = reader.take_file(where, "python: ")
        return _hosted("python", f"{reader.relative(entry)}:{name}", entry, entry.parent, reader)
    place = reader.folder.joinpath(*where.split("."))
    choices = (place.parent / f"{place.name}.py", place / "__init__.py")
    found = next((path for path in choices if path.is_file()), None)
    if found is None:
        raise SpecError(
            f"python: there is no module {where} in {reader.folder}: run the command in the folder "
            "that holds its package, or write python:path/to/file.py:Class"
        )
    reader.named.append(found)
    return _hosted("python", target, found, reader.folder, reader)


def _read_kaggle(reader: SpecReader, file: str) -> Launch:
    entry = reader.take_file(file, "kaggle: ")
    reader.is_whole = entry.suffix == ".py"
    return _hosted("kaggle", reader.relative(entry), entry, entry.parent, reader)


def _hosted(host: str, target: str, entry: Path, home: Path, reader: SpecReader) -> Launch:
    interpreter = find_interpreter(reader.python, reader.folder)
    reader.programs.append(interpreter)
    reader.scripts, reader.home = [entry], home
    return Launch(
        command=(target,),
        folder=str(reader.folder),
        host=host,
        python=interpreter.path,
        is_python_chosen=reader.python is not None,
        # On Kaggle each game has a new process, so that modules may keep the state of a game.
        restart=Restart.GAME if host == "kaggle" else Restart.NEVER,
    )


def _read_thu(reader: SpecReader, file: str) -> Launch:
    path = reader.take_file(file, "thu: ")
    if not _is_compiled(path):
        raise SpecError(
            f"thu:{file} is not a shared library of this system: compile the strategy first, as "
            "in g++ -O2 -shared -fPIC -o strategy.so Strategy.cpp"
        )
    reader.home, reader.is_whole = path.parent, False
    return Launch(
        command=(reader.relative(path),),
        folder=str(reader.folder),
        # Strategies keep static state, and the course's own judge starts each game anew.
        restart=Restart.GAME,
        address_mb=THU_ADDRESS_MB,
        host="thu",
    )


READERS: Mapping[str, Callable[[SpecReader, str], Launch]] = {
    "exec": partial(_read_program, None),
    "thu": _read_thu,
    "saiblo": partial(_read_program, "saiblo"),
    "python": _read_python,
    "kaggle": _read_kaggle,
}


def _is_elsewhere(word: str, reader: SpecReader) -> bool:
    """Return whether a command's program does not belong to the bot's files."""
    if "/" not in word:
        return True
    path = Path(os.path.normpath(reader.folder / word))
    if path.is_relative_to(reader.root):
        return reader.is_in_environment(path)
    # A bot outside of the root is refused; interpreters and installed programs are not stored.
    on_path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return path.is_file() and (
        INTERPRETER.fullmatch(path.name) is not None or str(path.parent) in on_path
    )


def _localized(word: str, reader: SpecReader) -> str:
    """Return an argument with a path of a stored file relative to the folder."""
    before, equals, value = word.partition("=")
    for start, name in (("", word), (before + equals, value)):
        path = reader.find(name) if name else None
        if path is not None and path != reader.folder:
            reader.named.append(path)
            return start + (reader.relative(path) if os.path.isabs(name) else name)
    return word


def _is_compiled(path: Path) -> bool:
    """Return whether a file is a program or library in machine code."""
    return _head(path).startswith(b"\x7fELF")


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(200)
