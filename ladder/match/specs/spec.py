"""Bot specifications: resolve what a user writes to a launch and the files that belong to it."""

import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from bots.catalogue import VERSIONS, parse_player, with_options
from bots.errors import SpecError
from bots.identity import OPTION, behaviour, content_hash
from bots.protocol import BudgetKind
from db.records.launch import Launch
from db.records.restart import Restart
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.match.specs.archive import MOST_MB
from ladder.match.specs.folder_files import (
    COMPILED,
    find_folder_files,
    find_local_modules,
    find_module_files,
    find_tree_files,
    is_environment,
    is_ladders_file,
    select_files,
)
from ladder.match.specs.programs import (
    INTERPRETER,
    PYTHON,
    SOURCE,
    Program,
    describe_program,
    find_interpreter,
    find_program,
)
from ladder.match.specs.start_command import own_sources

BUILTIN = "builtin:"
PYTHON_FORMS = ("python", "kaggle")
"""Kinds of specifications whose bot is hosted by an interpreter."""
FOREIGN = "foreign"
FORMS = (
    "builtin:PLAYER, exec:COMMAND, python:FILE.py:CLASS, python:MODULE:CLASS, kaggle:FILE.py "
    "or FILE.tar.gz, thu:FILE.so or saiblo:COMMAND"
)
DIGITS = 16
"""Digits of the hash of our own sources in a player's identity."""
THU_ADDRESS_MB = 1536
"""The course allows a process 1 GiB; the rest is for Python and shared libraries."""


@dataclass(frozen=True, slots=True)
class ResolvedBot:
    """A specification, resolved to the files and programs that it means now."""

    family: str
    launch: Launch
    """How to start it; without an archive it starts in its folder."""
    files: Mapping[str, str]
    """Its parts outside of the archive: programs with their version, options."""
    content_hash: str = ""
    """Equal for equal players of this installation; "" for other bots."""
    budgets: tuple[BudgetKind, ...] | None = None
    """The kinds of budget that it accepts; None: those in its hello."""
    paths: tuple[Path, ...] = ()
    """The files, links and empty folders that belong to it."""
    left_out: tuple[str, ...] = ()
    """What lies beside them and does not belong to it, for its author."""


def read_spec(
    spec: str,
    folder: Path,
    *,
    python: str | None = None,
    patterns: Sequence[str] = (),
    root: Path | None = None,
    most_mb: int = MOST_MB,
) -> ResolvedBot:
    """Resolve a specification.

    Args:
        spec: the specification as the user wrote it.
        folder: the folder in which it was written, and in which the bot will run.
        python: the interpreter for ``python:`` and ``kaggle:``; None: python3 on PATH.
        patterns: patterns of further files that belong to the bot; they replace its whole folder.
        root: the top of a tree from git, all of which belongs to the bot unless there are patterns;
            None: the folder, of which the specification means a part.
        most_mb: the size in MiB up to which a whole folder is taken to be the bot.

    Raises:
        SpecError: the specification has no known form, or names a missing file or program.
        UnknownPlayer: no built-in player has the name.
        UsageError: an option does not fit the specification, or a file lies outside of the root.

    """
    kind, colon, rest = spec.partition(":")
    if python is not None and kind not in PYTHON_FORMS:
        problem = f"only python: and kaggle: bots have an interpreter, not {kind}: bots"
        raise UsageError(problem, option="python")
    if not colon or kind not in {"builtin", *_PARSERS}:
        suggestion = _suggest_spec(spec, folder)
        if suggestion:
            raise SpecError(f"{spec!r} is not a specification: did you mean {suggestion}?")
        raise SpecError(f"unknown specification {spec!r}: write {FORMS}")
    if not rest.strip():
        raise SpecError(f"nothing follows {kind}: in the specification: write {FORMS}")
    if kind + ":" == BUILTIN:
        if patterns:
            problem = "a built-in player has no files to choose: leave the patterns out"
            raise UsageError(problem, option="files")
        return _resolve_builtin(rest, folder)
    place = _Place(folder.resolve(), (root or folder).resolve())
    try:
        parsed = _PARSERS[kind](rest.strip(), place, python)
        if root is not None and not patterns:
            paths = find_tree_files(place.root)
        else:
            paths = _select(parsed, place, patterns, most_mb)
    except OSError as error:
        # A name that no file can have, or a file without the right to read it.
        problem = f"a file of {spec[:80]!r} cannot be read: {error.strerror or error}"
        raise SpecError(problem) from error
    return ResolvedBot(
        family=FOREIGN,
        launch=parsed.launch,
        files=dict(place.programs),
        paths=tuple(paths),
        left_out=_left_out(parsed.home, paths),
    )


def _suggest_spec(word: str, folder: Path) -> str:
    """Return the specification of a file or player that has no prefix, or "" if it is neither."""
    path = folder / word
    with suppress(OSError):  # no file can have such a name
        if path.is_file():
            if path.suffix == ".so":
                return f"thu:{word}"
            if path.name.endswith(".tar.gz"):
                return f"kaggle:{word}"
            if path.suffix == ".py":
                return f"'exec:python3 {word}', kaggle:{word} or python:{word}:CLASS"
            return f"exec:{word if '/' in word else './' + word}"
    return f"{BUILTIN}{word}" if word in VERSIONS else ""


def resolve_own_player(launch: Launch) -> ResolvedBot:
    """Resolve a player of this installation from a stored launch, without opening files.

    Raises:
        SpecError: an option is a path. A registered player's options hold the content of files
            instead, so a foreign program has written this launch.
        UnknownPlayer: no built-in player has the name.

    """
    player = str(launch.player)
    for name, value in parse_player(player)[1].items():
        if "/" in value:
            raise SpecError(
                f"the stored option {name!r} of {player!r} names a file, which is never opened: "
                "register the player again"
            )
    return _resolve_builtin(player, ROOT)


def _resolve_builtin(player: str, folder: Path) -> ResolvedBot:
    version, written = parse_player(player)
    # If an option names a file, the file's content is stored with the bot, not its path.
    options = version.resolve_options(written, folder)
    if options != written:
        player = with_options(player, options)
    return ResolvedBot(
        family=version.family,
        launch=Launch(command=(), folder="", player=player),
        files={
            **behaviour(version, _hash_sources),
            **{f"{OPTION}{name}": value for name, value in options.items()},
        },
        content_hash=content_hash(version, options, _hash_sources),
        budgets=tuple(version.budgets),
    )


def _hash_sources() -> str:
    """Return the hash of the sources that hosts run."""
    return own_sources().manifest.sha256[:DIGITS]


@dataclass(slots=True)
class _Place:
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


class _ParsedSpec(NamedTuple):
    """The launch of a specification, and where its files lie."""

    launch: Launch
    home: Path
    """The folder of its program or entry file."""
    is_whole: bool = True
    """Whether all of that folder may belong to the bot."""
    scripts: Sequence[Path] = ()
    """The Python files that run first."""


def _select(
    parsed: _ParsedSpec, place: _Place, patterns: Sequence[str], most_mb: int
) -> list[Path]:
    """Return the files that belong to a bot.

    Raises:
        SpecError: its folder holds too much to be one bot.

    """
    found: list[Path] = []
    for path in place.named:
        is_folder = path.is_dir() and not path.is_symlink()
        found += (find_folder_files(path, most_mb << 20) or ()) if is_folder else [path]
    modules = find_local_modules(parsed.scripts, parsed.home)
    if patterns:
        return [*found, *modules, *select_files(place.folder, patterns)]
    if not parsed.is_whole:
        return found
    whole = find_folder_files(parsed.home, most_mb << 20)
    if whole is None and not modules:
        raise SpecError(
            f"{parsed.home} holds too much to be one bot: put the bot into a folder of its own, or "
            "name its files by patterns, as in `ladder bots add NAME SPEC --files '*.js'`"
        )
    return [*found, *(modules if whole is None else whole)]


def _left_out(home: Path, paths: Iterable[Path]) -> tuple[str, ...]:
    """Return what lies in a folder and holds nothing of the bot."""
    depth = len(home.parts)
    taken = {path.parts[depth] for path in paths if home in path.parents}
    with suppress(OSError):
        names = sorted(os.listdir(home))
        return tuple(
            name
            for name in names
            if name not in taken and name != COMPILED and not is_ladders_file(home / name)
        )
    return ()


def _parse_program(host: str | None, command: str, place: _Place, _: str | None) -> _ParsedSpec:
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
    return _ParsedSpec(launch, home, bool(has_sources) or not _is_compiled(first), scripts)


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


def _parse_python(target: str, place: _Place, python: str | None) -> _ParsedSpec:
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


def _parse_kaggle(file: str, place: _Place, python: str | None) -> _ParsedSpec:
    entry = _find_file(place, file, "kaggle")
    parsed = _parse_hosted("kaggle", place.relative(entry), entry, entry.parent, place, python)
    # On Kaggle each game has a new process, so that modules may keep the state of a game.
    launch = msgspec.structs.replace(parsed.launch, restart=Restart.GAME)
    return parsed._replace(launch=launch, is_whole=entry.suffix == ".py")


def _parse_hosted(
    host: str, target: str, entry: Path, home: Path, place: _Place, python: str | None
) -> _ParsedSpec:
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
    return _ParsedSpec(launch, home, scripts=[entry])


def _parse_thu(file: str, place: _Place, _: str | None) -> _ParsedSpec:
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
    return _ParsedSpec(launch, path.parent, is_whole=False)


_PARSERS: Mapping[str, Callable[[str, _Place, str | None], _ParsedSpec]] = {
    "exec": partial(_parse_program, None),
    "thu": _parse_thu,
    "saiblo": partial(_parse_program, "saiblo"),
    "python": _parse_python,
    "kaggle": _parse_kaggle,
}


def _parse_command(command: str, place: _Place) -> tuple[tuple[str, ...], str | None]:
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


def _is_elsewhere(word: str, place: _Place) -> bool:
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


def _localized(word: str, place: _Place) -> str:
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


def _find_file(place: _Place, file: str, kind: str) -> Path:
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
