"""Bot specifications: from what a user writes to a launch and a content hash."""

import hashlib
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec

from bots.catalogue import VERSIONS, parse_player
from bots.errors import SpecError
from bots.identity import content_hash
from bots.protocol import BudgetKind
from db.records.launch import FileState, Launch
from db.records.restart import Restart
from engine.cache import ROOT
from ladder.match.specs.fingerprint import (
    PYTHON,
    Ingredients,
    interpreter,
    is_program,
    local_modules,
    module_files,
    program,
)
from ladder.match.specs.folder_files import selected, whole_folder
from ladder.match.specs.own_players import own_player
from ladder.names import CONFIG

BUILTIN = "builtin:"
FOREIGN = "foreign"
FORMS = (
    "builtin:PLAYER, exec:COMMAND, python:FILE.py:CLASS, python:MODULE:CLASS, kaggle:FILE.py, "
    "thu:FILE.so or saiblo:COMMAND"
)
THU_ADDRESS_MB = 1536
"""The course allows a process 1 GiB; the rest is for Python and shared libraries."""
INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|luajit|java|dotnet|julia|Rscript|R|"
    r"guile|racket|tclsh|erl|escript|bash|dash|zsh|sh)[-0-9.]*(\.exe)?"
)
"""Names of programs that run the files of others."""
OPENED_BY_PYTHON = "data that it opens, and installed packages"


@dataclass(frozen=True, slots=True)
class ResolvedBot:
    """A specification with the files and programs that it stands for at this moment."""

    family: str
    launch: Launch
    files: Mapping[str, str]
    """Everything the bot is made of: a file, a program or an option, and its hash or value."""
    content_hash: str
    """Equal when the bot is the same."""
    budgets: tuple[BudgetKind, ...] | None = None
    """The budgets it plays on, where its host's hello says more; None: as its hello says."""
    states: tuple[FileState, ...] = ()
    """The files among `files`; empty for a player of this installation."""
    not_tracked: str = ""
    """The kinds of files that may belong to the bot and do not count, for its author."""


def read_spec(
    spec: str,
    folder: Path,
    *,
    python: str | None = None,
    patterns: Sequence[str] = (),
    known: Mapping[str, str] | None = None,
    registered: Mapping[str, str] | None = None,
) -> ResolvedBot:
    """Look at what a specification names.

    Args:
        spec: as the user wrote it.
        folder: the folder in which it was written, and in which the bot will run.
        python: the interpreter for ``python:`` and ``kaggle:``; None: python3 on PATH.
        patterns: files of the folder that count as the bot beside those that its kind tells; for a
            program that an interpreter other than Python runs, instead of its whole folder.
        known: the ingredients of a registered bot. Its files are looked at again, and files that
            came into its folder later do not count; `patterns` are not used.
        registered: the programs of a bot that was registered on another machine. Those of the same
            version here count as the same, wherever they are.

    Raises:
        SpecError: the specification has none of the known forms, or names what is not there.
        UnknownPlayer: no built-in player has the name.

    """
    kind, colon, rest = spec.partition(":")
    if python is not None and kind not in _OF_PYTHON:
        raise SpecError(f"--python chooses the interpreter of python: and kaggle: bots, not {kind}")
    if not colon or kind not in {"builtin", *_PROGRAMS, *_OF_PYTHON}:
        meant = _meant_by(spec, folder)
        if meant:
            raise SpecError(f"{spec!r} is no specification: did you mean {meant}?")
        raise SpecError(f"unknown specification {spec!r}: write {FORMS}")
    if not rest.strip():
        raise SpecError(f"{kind}: says nothing more: write {FORMS}")
    if kind + ":" == BUILTIN:
        if patterns:
            raise SpecError("--files names files of a bot from outside, not of a built-in player")
        return _builtin(rest, folder)
    made_of = Ingredients(folder.resolve(), registered or {})
    try:
        if kind in _OF_PYTHON:
            reading = _OF_PYTHON[kind](rest.strip(), made_of, python)
        else:
            reading = _PROGRAMS[kind](rest.strip(), made_of)
        not_tracked = _add_further(made_of, reading, patterns, known)
    except OSError as error:
        # A name that no system takes, or a file that may not be read.
        raise SpecError(f"{spec[:80]!r} cannot be looked at: {error.strerror or error}") from error
    digest = hashlib.sha256(repr((spec, sorted(made_of.values.items()))).encode()).hexdigest()[:16]
    return ResolvedBot(
        family=FOREIGN,
        launch=reading.launch,
        files=made_of.values,
        content_hash=digest,
        states=tuple(made_of.states),
        not_tracked=not_tracked,
    )


def _meant_by(spec: str, folder: Path) -> str:
    """Return the specification that somebody means who names a file or a player; "" if unknown."""
    path = folder / spec
    with suppress(OSError):  # a name that no system takes is no file
        if path.is_file():
            return _as_specification(spec, path)
    return f"{BUILTIN}{spec}" if spec in VERSIONS else ""


def _as_specification(spec: str, path: Path) -> str:
    if path.suffix == ".so":
        return f"thu:{spec}"
    if path.suffix == ".py":
        return f"'exec:python3 {spec}', kaggle:{spec} or python:{spec}:CLASS"
    return f"exec:{spec if '/' in spec else './' + spec}"


def own_player_of(launch: Launch) -> ResolvedBot:
    """A player of this installation as a stored launch names it; no option of it opens a file.

    Raises:
        SpecError: an option is a path, which no registered player's is: it holds the content.
        UnknownPlayer: no built-in player has the name.

    """
    player = str(launch.player)
    for name, value in parse_player(player)[1].items():
        if "/" in value:
            raise SpecError(f"the database names a file as option {name!r} of {player!r}")
    return _builtin(player, ROOT)


def _builtin(player: str, folder: Path) -> ResolvedBot:
    version, written = parse_player(player)
    # The content of a file that an option names is kept with the bot, not where the file is.
    options = version.resolve_options(written, folder)
    if options != written:
        query = urlencode(options, safe=",")
        player = f"{version.name}?{query}"
    own = own_player(version)
    return ResolvedBot(
        family=version.family,
        launch=Launch(command=(), folder="", player=player),
        files={**own.files, **{f"option {name}": value for name, value in options.items()}},
        content_hash=content_hash(version, options) if options else own.content_hash,
        budgets=tuple(version.budgets),
    )


class _Reading(NamedTuple):
    """The launch of a specification; the ingredients that it names are noted already."""

    launch: Launch
    not_tracked: str
    program_folder: Path | None = None
    """The folder of a program that an interpreter runs: all of it may be the bot."""
    modules: Callable[[], list[Path]] | None = None
    """Finds the files that a Python script imports, itself included."""


def _add_further(
    made_of: Ingredients,
    reading: _Reading,
    patterns: Sequence[str],
    known: Mapping[str, str] | None,
) -> str:
    """Note the files that the specification itself does not name; say which are still left out."""
    if known is not None:
        for name, value in known.items():
            path = made_of.folder / name
            if path.name == CONFIG and name not in made_of.values:
                # Once it counted as part of a bot: such a bot stays what it is.
                made_of.add_values({name: value})
                continue
            if not is_program(name, value) and path.is_file():
                made_of.add_file(path, name)
        return ""
    if reading.modules is not None:
        made_of.add_files(reading.modules())
    if patterns:
        made_of.add_files(selected(made_of.folder, patterns))
        return "files that --files does not select"
    if reading.program_folder is not None:
        made_of.add_files(whole_folder(reading.program_folder))
    return f"{reading.not_tracked} (--files PATTERN counts files in)"


def _exec(command: str, made_of: Ingredients) -> _Reading:
    words = _command(command, made_of)
    launch = Launch(command=words, folder=str(made_of.folder))
    return _program_reading(launch, words, made_of)


def _saiblo(command: str, made_of: Ingredients) -> _Reading:
    words = _command(command, made_of)
    folder = str(made_of.folder)
    launch = Launch(command=(folder, *words), folder=folder, host="saiblo")
    return _program_reading(launch, words, made_of)


def _program_reading(launch: Launch, words: tuple[str, ...], made_of: Ingredients) -> _Reading:
    """Find out which files beside those that its words name a command may need."""
    folder = made_of.folder
    named = [folder / word for word in words if (folder / word).is_file()]
    first = folder / words[0]
    on_path = not first.is_file()
    if on_path:
        first = Path(*program(words[0], folder))
    arguments = named if on_path else named[1:]
    is_interpreter = INTERPRETER.fullmatch(first.name) is not None
    scripts = _python_scripts(words, first, arguments, folder)
    if scripts:
        beside = folder if "-m" in words else scripts[0].parent
        modules = partial(local_modules, scripts, beside)
        return _Reading(launch, OPENED_BY_PYTHON, modules=modules)
    if is_interpreter or (on_path and arguments):
        own_folder = arguments[0].parent if arguments else folder
    elif _is_compiled(first):
        return _Reading(launch, "libraries and data that the program opens")
    else:
        own_folder = folder if on_path else first.parent
    not_tracked = f"files outside of {own_folder}, and installed packages"
    return _Reading(launch, not_tracked, program_folder=own_folder)


def _python_scripts(
    words: tuple[str, ...], first: Path, arguments: list[Path], folder: Path
) -> list[Path]:
    """Return the files that Python runs at first; empty if they cannot be known."""
    if PYTHON.fullmatch(first.name):
        if "-c" in words:
            return []
        if "-m" in words[:-1]:
            return module_files(words[words.index("-m") + 1], folder)
        return arguments[:1]
    if arguments and arguments[0].suffix == ".py":  # such as `uv run bot.py`
        return arguments[:1]
    with first.open("rb") as file:
        shebang = file.readline(200)
    # The shims of version managers are scripts, too, but lie outside of the folder.
    in_folder = first.is_relative_to(folder)
    return [first] if in_folder and shebang.startswith(b"#!") and b"python" in shebang else []


def _python(target: str, made_of: Ingredients, python: str | None) -> _Reading:
    folder = made_of.folder
    where, _, name = target.rpartition(":")
    if not where or not name.isidentifier():
        raise SpecError(
            f"python:{target} names no class: write python:path/to/file.py:Class or "
            "python:package.module:Class"
        )
    if where.endswith(".py"):
        entry = _existing(folder, where, "python")
        beside = entry.parent
    else:
        entry = _module(folder, where)
        beside = folder
    return _hosted("python", target, entry, beside, made_of, python)


def _kaggle(file: str, made_of: Ingredients, python: str | None) -> _Reading:
    entry = _existing(made_of.folder, file, "kaggle")
    return _hosted("kaggle", file, entry, entry.parent, made_of, python)


def _hosted(
    host: str, target: str, entry: Path, beside: Path, made_of: Ingredients, python: str | None
) -> _Reading:
    command, version = interpreter(python, made_of.folder)
    made_of.add_programs(version)
    made_of.add_files(local_modules([entry], beside))
    folder = str(made_of.folder)
    launch = Launch(
        command=(folder, target),
        folder=folder,
        host=host,
        python=command,
        is_python_chosen=msgspec.UNSET if python is None else True,
    )
    return _Reading(launch, OPENED_BY_PYTHON)


def _thu(file: str, made_of: Ingredients) -> _Reading:
    path = _existing(made_of.folder, file, "thu")
    if not _is_compiled(path):
        raise SpecError(
            f"thu:{file} is no shared library of this system: compile the strategy first, such "
            "as g++ -O2 -shared -fPIC -o strategy.so Strategy.cpp"
        )
    made_of.add_file(path, file)
    folder = str(made_of.folder)
    launch = Launch(
        command=(folder, file),
        folder=folder,
        # Course strategies keep static state, which the course's own judge never reuses.
        restart=Restart.GAME,
        address_mb=THU_ADDRESS_MB,
        host="thu",
    )
    return _Reading(launch, "libraries and data that it opens")


_PROGRAMS: Mapping[str, Callable[[str, Ingredients], _Reading]] = {
    "exec": _exec,
    "thu": _thu,
    "saiblo": _saiblo,
}
_OF_PYTHON: Mapping[str, Callable[[str, Ingredients, str | None], _Reading]] = {
    "python": _python,
    "kaggle": _kaggle,
}


def _command(command: str, made_of: Ingredients) -> tuple[str, ...]:
    """Return the words of a command; note the files and the program on PATH that they name."""
    folder = made_of.folder
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be read: {error}") from error
    in_folder = (folder / words[0]).is_file()
    if in_folder and "/" not in words[0] and shutil.which(words[0]) is None:
        raise SpecError(
            f"{words[0]!r} is no program on PATH, where a word without a slash is looked for: did "
            f"you mean ./{words[0]}?"
        )
    if not in_folder:
        made_of.add_programs(program(words[0], folder))
    for word in words:
        if (folder / word).is_file():
            made_of.add_file(folder / word, word)
    return words


def _is_compiled(path: Path) -> bool:
    """Whether a file is machine code of this system, a program or a library."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _existing(folder: Path, file: str, kind: str) -> Path:
    path = folder / file
    if not path.is_file():
        raise SpecError(f"{kind}: there is no file {file} in {folder}")
    return path.absolute()


def _module(folder: Path, name: str) -> Path:
    """The file of a module as `python -m` in the folder finds it."""
    place = folder.joinpath(*name.split("."))
    for path in (place.with_name(place.name + ".py"), place / "__init__.py"):
        if path.is_file():
            return path
    raise SpecError(
        f"python: there is no module {name} in {folder}: run the command in the folder that holds "
        "its package, or write python:path/to/file.py:Class"
    )
