"""Bot specifications: from what a user writes to a process's command and a content hash."""

import hashlib
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from bots.catalogue import parse_player
from bots.errors import SpecError
from bots.identity import content_hash, sources
from bots.protocol import BudgetKind
from db.records.launch import Launch
from db.records.restart import Restart
from engine.cache import ROOT
from ladder.specs.fingerprint import (
    hash_file,
    interpreter,
    local_modules,
    program,
)

BUILTIN = "builtin:"
FOREIGN = "foreign"
FORMS = (
    "builtin:PLAYER, exec:COMMAND, python:FILE.py:CLASS, python:MODULE:CLASS, kaggle:FILE.py, "
    "thu:FILE.so or saiblo:COMMAND"
)
THU_ADDRESS_MB = 1536
"""The course allows a process 1 GiB; the rest is for Python and shared libraries."""


@dataclass(frozen=True, slots=True)
class ResolvedBot:
    """What a specification stands for, here and now."""

    family: str
    launch: Launch
    """For a built-in player without a command: that is made when it is started."""
    files: Mapping[str, str]
    """Everything the bot is made of: a file, an interpreter or an option, and its hash or value."""
    content_hash: str
    """Equal when the bot is the same."""
    budgets: tuple[BudgetKind, ...] | None = None
    """What it plays on, where its host's hello says more; None: as its hello says."""


def read_spec(spec: str, folder: Path, *, python: str | None = None) -> ResolvedBot:
    """Look at what a specification names.

    Args:
        spec: as the user wrote it.
        folder: the folder in which it was written, and in which the bot will run.
        python: the interpreter for ``python:`` and ``kaggle:``; None: python3 on PATH.

    Raises:
        SpecError: the specification has none of the known forms, or names what is not there.
        UnknownPlayer: no built-in player has the name.

    """
    kind, colon, rest = spec.partition(":")
    if python is not None and kind not in _OF_PYTHON:
        raise SpecError(f"--python chooses the interpreter of python: and kaggle: bots, not {kind}")
    if not colon or kind not in {"builtin", *_PROGRAMS, *_OF_PYTHON}:
        raise SpecError(f"unknown specification {spec!r}: write {FORMS}")
    if not rest.strip():
        raise SpecError(f"{kind}: says nothing more: write {FORMS}")
    if kind + ":" == BUILTIN:
        return _builtin(rest, folder)
    place = folder.resolve()
    try:
        if kind in _OF_PYTHON:
            launch, files = _OF_PYTHON[kind](rest.strip(), place, python)
        else:
            launch, files = _PROGRAMS[kind](rest.strip(), place)
    except OSError as error:
        # A name that no system takes, or a file that may not be read.
        raise SpecError(f"{spec[:80]!r} cannot be looked at: {error.strerror or error}") from error
    made_of = repr((spec, sorted(files.items())))
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:16]
    return ResolvedBot(family=FOREIGN, launch=launch, files=files, content_hash=digest)


def _builtin(player: str, folder: Path) -> ResolvedBot:
    version, written = parse_player(player)
    # The content of a file that an option names is kept with the bot, not where the file is.
    options = version.settled(written, folder)
    if options != written:
        query = urlencode(options, safe=",")
        player = f"{version.name}?{query}"
    return ResolvedBot(
        family=version.family,
        launch=Launch(command=(), folder="", player=player),
        files={
            **{str(path.relative_to(ROOT)): hash_file(path) for path in sources(version)},
            **{f"option {name}": value for name, value in options.items()},
        },
        content_hash=content_hash(version, options),
        budgets=tuple(version.budgets),
    )


_Parts = tuple[Launch, dict[str, str]]


def _exec(command: str, folder: Path) -> _Parts:
    words, files = _command(command, folder)
    return Launch(command=words, folder=str(folder)), files


def _saiblo(command: str, folder: Path) -> _Parts:
    words, files = _command(command, folder)
    return Launch(command=(str(folder), *words), folder=str(folder), host="saiblo"), files


def _python(target: str, folder: Path, python: str | None) -> _Parts:
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
    command, files = interpreter(python, folder)
    files.update(local_modules(entry, beside, folder))
    launch = Launch(
        command=(str(folder), target), folder=str(folder), host="python", python=command
    )
    return launch, files


def _kaggle(file: str, folder: Path, python: str | None) -> _Parts:
    entry = _existing(folder, file, "kaggle")
    command, files = interpreter(python, folder)
    files.update(local_modules(entry, entry.parent, folder))
    launch = Launch(command=(str(folder), file), folder=str(folder), host="kaggle", python=command)
    return launch, files


def _thu(file: str, folder: Path) -> _Parts:
    path = _existing(folder, file, "thu")
    with path.open("rb") as opened:
        if opened.read(4) != b"\x7fELF":
            raise SpecError(
                f"thu:{file} is no shared library of this system: compile the strategy first, such "
                "as g++ -O2 -shared -fPIC -o strategy.so Strategy.cpp"
            )
    launch = Launch(
        command=(str(folder), file),
        folder=str(folder),
        # Course strategies keep static state, which the course's own judge never reuses.
        restart=Restart.GAME,
        address_mb=THU_ADDRESS_MB,
        host="thu",
    )
    return launch, {file: hash_file(path)}


_PROGRAMS: Mapping[str, Callable[[str, Path], _Parts]] = {
    "exec": _exec,
    "thu": _thu,
    "saiblo": _saiblo,
}
_OF_PYTHON: Mapping[str, Callable[[str, Path, str | None], _Parts]] = {
    "python": _python,
    "kaggle": _kaggle,
}


def _command(command: str, folder: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words of a command, and what they name."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be read: {error}") from error
    files: dict[str, str] = {}
    if not (folder / words[0]).is_file():
        files.update(program(words[0], folder))
    for word in words:
        path = folder / word
        if path.is_file():
            files[word] = hash_file(path)
    return words, files


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
