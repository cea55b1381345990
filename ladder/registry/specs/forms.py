"""The forms of specifications of foreign bots: how each is started, and which files are its own."""

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from bots.errors import SpecError
from bots.foreign.elf_file import load_bytes
from db.records.launch import Launch, Restart
from ladder.errors import UsageError
from ladder.registry.specs.folder_files import (
    find_folder_files,
    find_local_modules,
    find_module_files,
    find_tree_files,
    is_environment,
    select_files,
)
from ladder.registry.specs.programs import (
    INTERPRETER,
    PYTHON,
    SOURCE,
    Program,
    find_interpreter,
    find_program,
    first_line,
    is_compiled,
)
from ladder.registry.specs.targets import (
    NOTEBOOK,
    explain_notebook,
    import_folders,
    read_moves,
    split_target,
    top_of,
)

COMMANDS = ("exec", "saiblo", "moves")
"""Kinds of specifications that name a command."""
PYTHON_FORMS = ("python", "kaggle")
"""Kinds of specifications whose bot is hosted by an interpreter."""
THU_ADDRESS_MB = 1536
"""Address space beside the library's own segments: the course allows a process 1 GiB, and the rest
is for Python and shared libraries."""


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
    import_folders: Sequence[Path] = ()
    """The folders that hold modules of its scripts; () for its folder alone."""

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
    elif program is None and first_line(first).startswith(b"#!") and b"python" in first_line(first):
        reader.scripts = [first]
    reader.is_whole = bool(runs_sources or sources) or not is_compiled(first)
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


def _read_kaggle(reader: SpecReader, target: str) -> Launch:
    file, name = split_target(target)
    entry = reader.take_file(file, "kaggle: ")
    if entry.suffix == NOTEBOOK:
        raise SpecError(explain_notebook(entry))
    reader.is_whole = entry.suffix == ".py"
    if reader.is_whole:
        python = find_interpreter(reader.python, reader.folder).path
        reader.import_folders = [
            each for each in import_folders(entry, python) if each.is_relative_to(reader.root)
        ]
    home = top_of([entry.parent, *reader.import_folders])
    relative = reader.relative(entry) + (name and f":{name}")
    return _hosted("kaggle", relative, entry, home, reader)


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


def _read_moves(reader: SpecReader, text: str) -> Launch:
    options, command = read_moves(text)
    launch = _read_program("moves", reader, command)
    return msgspec.structs.replace(launch, host_options=options)


def _read_thu(reader: SpecReader, file: str) -> Launch:
    path = reader.take_file(file, "thu: ")
    if not is_compiled(path):
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
        address_mb=THU_ADDRESS_MB + (load_bytes(str(path)) >> 20),
        host="thu",
    )


READERS: Mapping[str, Callable[[SpecReader, str], Launch]] = {
    "exec": partial(_read_program, None),
    "thu": _read_thu,
    "saiblo": partial(_read_program, "saiblo"),
    "moves": _read_moves,
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


def find_bot_files(
    reader: SpecReader, *, patterns: Sequence[str], most_mb: int, is_tree: bool
) -> tuple[list[Path], list[Path]]:
    """Return the files that a bot's specification names or imports, and its others.

    Args:
        reader: the specification that was read.
        patterns: what the user names; it replaces the whole folder.
        most_mb: the limit on all files together, in MiB.
        is_tree: whether all files of the root belong to the bot.

    Raises:
        SpecError: its folder holds too much to be one bot.

    """
    most_bytes = most_mb << 20
    modules = find_local_modules(reader.scripts, *(reader.import_folders or (reader.home,)))
    named, others = [*modules], list[Path]()
    for path in reader.named:
        if not path.is_dir() or path.is_symlink():
            named.append(path)
        else:
            is_around = reader.home.is_relative_to(path)  # which names none of its files
            (others if is_around else named).extend(find_folder_files(path, most_bytes) or ())
    if patterns:
        named += select_files(reader.folder, patterns)
    elif is_tree:
        others += find_tree_files(reader.root)
    elif reader.is_whole:
        whole = find_folder_files(reader.home, most_bytes)
        if whole is None and not modules:
            raise SpecError(
                f"{reader.home} holds too much to be one bot: put the bot into a folder of its "
                "own, or name its files by patterns, as in `ladder bots add NAME SPEC --files "
                "'*.js'`"
            )
        others += whole or ()
    return named, others
