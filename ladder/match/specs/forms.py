"""The forms of specifications of foreign bots: how each is started, and what it names."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from bots.errors import SpecError
from db.records.launch import Launch
from db.records.restart import Restart
from ladder.errors import UsageError
from ladder.match.specs.folder_files import find_module_files, is_environment
from ladder.match.specs.programs import (
    INTERPRETER,
    PYTHON,
    SOURCE,
    Program,
    describe_program,
    find_interpreter,
    find_program,
)

PYTHON_FORMS = ("python", "kaggle")
"""Kinds of specifications whose bot is hosted by an interpreter."""
THU_ADDRESS_MB = 1536
"""The course allows a process 1 GiB; the rest is for Python and shared libraries."""


@dataclass(slots=True)
class SpecPlace:
    """The folders of a specification, and what it names."""

    folder: Path
    """The folder in which it was written."""
    root: Path
    """The folder that all files of the bot must lie in."""
    named: list[Path] = field(default_factory=list)
    """Named files and folders."""
    programs: list[Program] = field(default_factory=list)
    """Programs outside of the bot's files."""

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


class ParsedSpec(NamedTuple):
    """The launch of a specification, and where its files lie."""

    launch: Launch
    home: Path
    """The folder of its program or entry file."""
    is_whole: bool = True
    """Whether all of that folder may belong to the bot."""
    scripts: Sequence[Path] = ()
    """The Python files that run first."""


def _parse_program(host: str | None, command: str, place: SpecPlace, _: str | None) -> ParsedSpec:
    """Resolve a command, and find the folder of its program."""
    words, program = _parse_command(command, place)
    launch = Launch(command=words, folder=str(place.folder), program=program, host=host)
    files = [path for path in place.named if not path.is_dir()]
    first, *arguments = files if program is None else [Path(program), *files]
    is_interpreter = INTERPRETER.fullmatch(first.name) is not None
    if is_interpreter:
        source = next((word for word in words[1:] if not word.startswith("-")), "")
        if SOURCE.search(source) and not os.path.lexists(place.folder / source):
            raise SpecError(f"there is no file {source} in {place.folder}")
    scripts = _find_scripts(words, first, arguments, place.folder)
    is_elsewhere = program is not None
    if scripts:
        home = place.folder if "-m" in words else scripts[0].parent
    elif arguments and (is_interpreter or is_elsewhere):
        home = arguments[0].parent
    else:
        home = place.folder if is_elsewhere else first.parent
    has_sources = scripts or is_interpreter or (is_elsewhere and arguments)
    return ParsedSpec(launch, home, bool(has_sources) or not _is_compiled(first), scripts)


def _find_scripts(
    words: Sequence[str], first: Path, arguments: Sequence[Path], folder: Path
) -> Sequence[Path]:
    """Return the files that Python runs first; empty if they cannot be known."""
    if PYTHON.fullmatch(first.name):
        if "-c" in words:
            return []
        if "-m" in words[:-1]:
            return find_module_files(words[words.index("-m") + 1], folder)
        return arguments[:1]
    in_folder = first.is_relative_to(folder)
    if not in_folder and arguments and arguments[0].suffix == ".py":  # such as `uv run bot.py`
        return arguments[:1]
    with first.open("rb") as file:
        shebang = file.readline(200)
    # Not shims of version managers, which are scripts, too, but outside of the folder.
    return [first] if in_folder and shebang.startswith(b"#!") and b"python" in shebang else []


def _parse_python(target: str, place: SpecPlace, python: str | None) -> ParsedSpec:
    where, _, name = target.rpartition(":")
    if not where or not name.isidentifier():
        raise SpecError(
            f"python:{target} does not name a class: write python:path/to/file.py:Class or "
            "python:package.module:Class"
        )
    if where.endswith(".py"):
        entry = _find_file(place, where, "python")
        home = entry.parent
        target = f"{place.relative(entry)}:{name}"
    else:
        entry = _find_module(place.folder, where)
        home = place.folder
    return _parse_hosted("python", target, entry, home, place, python)


def _parse_kaggle(file: str, place: SpecPlace, python: str | None) -> ParsedSpec:
    entry = _find_file(place, file, "kaggle")
    parsed = _parse_hosted("kaggle", place.relative(entry), entry, entry.parent, place, python)
    # On Kaggle each game has a new process, so that modules may keep the state of a game.
    launch = msgspec.structs.replace(parsed.launch, restart=Restart.GAME)
    return parsed._replace(launch=launch, is_whole=entry.suffix == ".py")


def _parse_hosted(
    host: str, target: str, entry: Path, home: Path, place: SpecPlace, python: str | None
) -> ParsedSpec:
    interpreter = find_interpreter(python, place.folder)
    place.programs.append(interpreter)
    place.named.append(entry)
    launch = Launch(
        command=(target,),
        folder=str(place.folder),
        host=host,
        python=interpreter.path,
        is_python_chosen=python is not None,
    )
    return ParsedSpec(launch, home, scripts=[entry])


def _parse_thu(file: str, place: SpecPlace, _: str | None) -> ParsedSpec:
    path = _find_file(place, file, "thu")
    if not _is_compiled(path):
        raise SpecError(
            f"thu:{file} is not a shared library of this system: compile the strategy first, as "
            "in g++ -O2 -shared -fPIC -o strategy.so Strategy.cpp"
        )
    place.named.append(path)
    launch = Launch(
        command=(place.relative(path),),
        folder=str(place.folder),
        # Strategies keep static state, and the course's own judge starts each game anew.
        restart=Restart.GAME,
        address_mb=THU_ADDRESS_MB,
        host="thu",
    )
    return ParsedSpec(launch, path.parent, is_whole=False)


PARSERS: Mapping[str, Callable[[str, SpecPlace, str | None], ParsedSpec]] = {
    "exec": partial(_parse_program, None),
    "thu": _parse_thu,
    "saiblo": partial(_parse_program, "saiblo"),
    "python": _parse_python,
    "kaggle": _parse_kaggle,
}


def _parse_command(command: str, place: SpecPlace) -> tuple[tuple[str, ...], str | None]:
    """Return a command relative to its folder, and its program if that lies elsewhere.

    What it names is added to the place.
    """
    try:
        first, *others = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be read: {error}") from error
    program = None
    if _is_elsewhere(first, place):
        if "/" in first:
            found = describe_program(os.path.normpath(place.folder / first))
        else:
            found = find_program(first, place.folder)
        place.programs.append(found)
        program = found.path
    else:
        path = place.find(first)
        if path is None or not path.is_file():
            raise SpecError(f"there is no file {first} in {place.folder}")
        place.named.append(path)
        first = os.path.join(".", place.relative(path))
    return (first, *(_localized(word, place) for word in others)), program


def _is_elsewhere(word: str, place: SpecPlace) -> bool:
    """Return whether a command's program does not belong to the bot's files."""
    folder = place.folder
    if "/" not in word:
        if (folder / word).is_file() and shutil.which(word) is None:
            raise SpecError(
                f"{word!r} is not on PATH, where a command without a slash is looked up: did you "
                f"mean ./{word}?"
            )
        return True
    path = Path(os.path.normpath(folder / word))
    if path.is_relative_to(place.root):
        return place.is_in_environment(path)
    # A bot outside of the root is refused; interpreters and installed programs are not stored.
    on_path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return path.is_file() and (
        INTERPRETER.fullmatch(path.name) is not None or str(path.parent) in on_path
    )


def _localized(word: str, place: SpecPlace) -> str:
    """Return an argument with a path of a stored file relative to the folder."""
    before, equals, value = word.partition("=")
    for start, name in (("", word), (before + equals, value)):
        path = place.find(name) if name else None
        if path is not None and path != place.folder:
            place.named.append(path)
            return start + (place.relative(path) if os.path.isabs(name) else name)
    return word


def _is_compiled(path: Path) -> bool:
    """Return whether a file is a program or library in machine code."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _find_file(place: SpecPlace, file: str, kind: str) -> Path:
    path = place.find(file)
    if path is None or not path.is_file():
        raise SpecError(f"{kind}: there is no file {file} in {place.folder}")
    return path


def _find_module(folder: Path, name: str) -> Path:
    """Return the file of a module as `python -m` in the folder finds it."""
    place = folder.joinpath(*name.split("."))
    for path in (place.with_name(place.name + ".py"), place / "__init__.py"):
        if path.is_file():
            return path
    raise SpecError(
        f"python: there is no module {name} in {folder}: run the command in the folder that holds "
        "its package, or write python:path/to/file.py:Class"
    )
