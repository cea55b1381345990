"""Bot specifications: resolve what a user writes to a launch and a content hash."""

import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from bots.catalogue import VERSIONS, parse_player, with_options
from bots.errors import SpecError
from bots.identity import OPTION, behaviour, content_hash
from bots.protocol import BudgetKind
from db.records.launch import FileState, Launch
from db.records.restart import Restart
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.match.specs.file_state import hash_value
from ladder.match.specs.fingerprint import (
    PYTHON,
    Ingredients,
    find_interpreter,
    find_local_modules,
    find_module_files,
    find_program,
    is_program,
)
from ladder.match.specs.folder_files import find_folder_files, select_files
from ladder.match.specs.own_sources import own_sources
from ladder.names import CONFIG

BUILTIN = "builtin:"
FOREIGN = "foreign"
FORMS = (
    "builtin:PLAYER, exec:COMMAND, python:FILE.py:CLASS, python:MODULE:CLASS, kaggle:FILE.py "
    "or FILE.tar.gz, thu:FILE.so or saiblo:COMMAND"
)
THU_ADDRESS_MB = 1536
"""The course allows a process 1 GiB; the rest is for Python and shared libraries."""
INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|luajit|java|dotnet|julia|Rscript|R|"
    r"guile|racket|tclsh|erl|escript|bash|dash|zsh|sh)[-0-9.]*(\.exe)?"
)
"""Names of programs that run source files."""
OPENED_BY_PYTHON = "data that it opens, and installed packages"


@dataclass(frozen=True, slots=True)
class ResolvedBot:
    """A specification, resolved to the files and programs that it means now."""

    family: str
    launch: Launch
    files: Mapping[str, str]
    """The ingredients: files with their hash, programs with their version, options."""
    content_hash: str
    """Equal for equal bots."""
    budgets: tuple[BudgetKind, ...] | None = None
    """The kinds of budget that it accepts; None: those in its hello."""
    states: tuple[FileState, ...] = ()
    """The states of its files; empty for a player of this installation."""
    not_tracked: str = ""
    """The kinds of files that may belong to the bot but do not count, for its author."""


def read_spec(
    spec: str,
    folder: Path,
    *,
    python: str | None = None,
    patterns: Sequence[str] = (),
    stored: Mapping[str, str] | None = None,
    remote_programs: Mapping[str, str] | None = None,
) -> ResolvedBot:
    """Resolve a specification.

    Args:
        spec: the specification as the user wrote it.
        folder: the folder in which it was written, and in which the bot will run.
        python: the interpreter for ``python:`` and ``kaggle:``; None: python3 on PATH.
        patterns: patterns of further files that count as the bot; for a program that an interpreter
            other than Python runs, they replace its whole folder.
        stored: the ingredients of a registered bot. Its files are read again, and files that came
            into its folder later do not count; `patterns` are not used.
        remote_programs: the programs, by path with version, of a bot that was registered on another
            machine; programs of the same version count as the same, wherever they are.

    Raises:
        SpecError: the specification has no known form, or names a missing file or program.
        UnknownPlayer: no built-in player has the name.
        UsageError: an option does not fit the specification.

    """
    kind, colon, rest = spec.partition(":")
    if python is not None and kind not in _PYTHON_FORMS:
        problem = f"only python: and kaggle: bots have an interpreter, not {kind}: bots"
        raise UsageError(problem, option="python")
    if not colon or kind not in {"builtin", *_PROGRAM_FORMS, *_PYTHON_FORMS}:
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
    ingredients = Ingredients(folder.resolve(), remote_programs or {})
    try:
        if kind in _PYTHON_FORMS:
            parsed = _PYTHON_FORMS[kind](rest.strip(), ingredients, python)
        else:
            parsed = _PROGRAM_FORMS[kind](rest.strip(), ingredients)
        not_tracked = _add_implicit_files(ingredients, parsed, patterns, stored)
    except OSError as error:
        # A name that no file can have, or a file without the right to read it.
        problem = f"a file of {spec[:80]!r} cannot be read: {error.strerror or error}"
        raise SpecError(problem) from error
    return ResolvedBot(
        family=FOREIGN,
        launch=parsed.launch,
        files=ingredients.values,
        content_hash=hash_value((spec, sorted(ingredients.values.items()))),
        states=tuple(ingredients.states),
        not_tracked=not_tracked,
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
    return own_sources().digest


class _ParsedSpec(NamedTuple):
    """The launch of a specification, whose named files and programs are collected already."""

    launch: Launch
    not_tracked: str
    program_folder: Path | None = None
    """The folder of a program that an interpreter runs: all of it may belong to the bot."""
    modules: Callable[[], list[Path]] | None = None
    """Finds a Python script and the files that it imports."""


def _add_implicit_files(
    ingredients: Ingredients,
    parsed: _ParsedSpec,
    patterns: Sequence[str],
    stored: Mapping[str, str] | None,
) -> str:
    """Add the files that the specification does not name; return which kinds do not count."""
    if stored is not None:
        for name, value in stored.items():
            path = ingredients.folder / name
            if path.name == CONFIG and name not in ingredients.values:
                # Earlier releases counted `ladder.toml` as part of a bot; keep its recorded hash.
                ingredients.values[name] = value
                continue
            if not is_program(name, value) and path.is_file():
                ingredients.add_file(path, name)
        return ""
    if parsed.modules is not None:
        ingredients.add_files(parsed.modules())
    if patterns:
        ingredients.add_files(select_files(ingredients.folder, patterns))
        return "files that the patterns do not select"
    if parsed.program_folder is not None:
        ingredients.add_files(find_folder_files(parsed.program_folder))
    return f"{parsed.not_tracked} (`ladder bots add NAME SPEC --files PATTERN` adds files)"


def _parse_exec(command: str, ingredients: Ingredients) -> _ParsedSpec:
    words = _parse_command(command, ingredients)
    launch = Launch(command=words, folder=str(ingredients.folder))
    return _parse_program(launch, words, ingredients)


def _parse_saiblo(command: str, ingredients: Ingredients) -> _ParsedSpec:
    words = _parse_command(command, ingredients)
    folder = str(ingredients.folder)
    launch = Launch(command=(folder, *words), folder=folder, host="saiblo")
    return _parse_program(launch, words, ingredients)


def _parse_program(launch: Launch, words: tuple[str, ...], ingredients: Ingredients) -> _ParsedSpec:
    """Find the files that a command may need besides those that its words name."""
    folder = ingredients.folder
    named = [folder / word for word in words if (folder / word).is_file()]
    first = folder / words[0]
    on_path = not first.is_file()
    if on_path:
        first = Path(find_program(words[0], folder).path)
    arguments = named if on_path else named[1:]
    is_interpreter = INTERPRETER.fullmatch(first.name) is not None
    scripts = _find_scripts(words, first, arguments, folder)
    if scripts:
        import_folder = folder if "-m" in words else scripts[0].parent
        modules = partial(find_local_modules, scripts, import_folder)
        return _ParsedSpec(launch, OPENED_BY_PYTHON, modules=modules)
    if is_interpreter or (on_path and arguments):
        own_folder = arguments[0].parent if arguments else folder
    elif _is_compiled(first):
        return _ParsedSpec(launch, "libraries and data that the program opens")
    else:
        own_folder = folder if on_path else first.parent
    not_tracked = f"files outside of {own_folder}, and installed packages"
    return _ParsedSpec(launch, not_tracked, program_folder=own_folder)


def _find_scripts(
    words: tuple[str, ...], first: Path, arguments: list[Path], folder: Path
) -> list[Path]:
    """Return the files that Python runs first; empty if they cannot be known."""
    if PYTHON.fullmatch(first.name):
        if "-c" in words:
            return []
        if "-m" in words[:-1]:
            return find_module_files(words[words.index("-m") + 1], folder)
        return arguments[:1]
    if arguments and arguments[0].suffix == ".py":  # such as `uv run bot.py`
        return arguments[:1]
    with first.open("rb") as file:
        shebang = file.readline(200)
    # Not shims of version managers, which are scripts, too, but outside of the folder.
    in_folder = first.is_relative_to(folder)
    return [first] if in_folder and shebang.startswith(b"#!") and b"python" in shebang else []


def _parse_python(target: str, ingredients: Ingredients, python: str | None) -> _ParsedSpec:
    folder = ingredients.folder
    where, _, name = target.rpartition(":")
    if not where or not name.isidentifier():
        raise SpecError(
            f"python:{target} does not name a class: write python:path/to/file.py:Class or "
            "python:package.module:Class"
        )
    if where.endswith(".py"):
        entry = _find_file(folder, where, "python")
        import_folder = entry.parent
    else:
        entry = _find_module(folder, where)
        import_folder = folder
    return _parse_hosted("python", target, entry, import_folder, ingredients, python)


def _parse_kaggle(file: str, ingredients: Ingredients, python: str | None) -> _ParsedSpec:
    entry = _find_file(ingredients.folder, file, "kaggle")
    parsed = _parse_hosted("kaggle", file, entry, entry.parent, ingredients, python)
    # On Kaggle each game has a new process, so that modules may keep the state of a game.
    launch = msgspec.structs.replace(parsed.launch, restart=Restart.GAME)
    return parsed._replace(launch=launch)


def _parse_hosted(
    host: str,
    target: str,
    entry: Path,
    import_folder: Path,
    ingredients: Ingredients,
    python: str | None,
) -> _ParsedSpec:
    interpreter = find_interpreter(python, ingredients.folder)
    ingredients.add_program(interpreter)
    ingredients.add_files(find_local_modules([entry], import_folder))
    folder = str(ingredients.folder)
    launch = Launch(
        command=(folder, target),
        folder=folder,
        host=host,
        python=interpreter.path,
        is_python_chosen=msgspec.UNSET if python is None else True,
    )
    return _ParsedSpec(launch, OPENED_BY_PYTHON)


def _parse_thu(file: str, ingredients: Ingredients) -> _ParsedSpec:
    path = _find_file(ingredients.folder, file, "thu")
    if not _is_compiled(path):
        raise SpecError(
            f"thu:{file} is not a shared library of this system: compile the strategy first, as "
            "in g++ -O2 -shared -fPIC -o strategy.so Strategy.cpp"
        )
    ingredients.add_file(path, file)
    folder = str(ingredients.folder)
    launch = Launch(
        command=(folder, file),
        folder=folder,
        # Strategies keep static state, and the course's own judge starts each game anew.
        restart=Restart.GAME,
        address_mb=THU_ADDRESS_MB,
        host="thu",
    )
    return _ParsedSpec(launch, "libraries and data that it opens")


_PROGRAM_FORMS: Mapping[str, Callable[[str, Ingredients], _ParsedSpec]] = {
    "exec": _parse_exec,
    "thu": _parse_thu,
    "saiblo": _parse_saiblo,
}
_PYTHON_FORMS: Mapping[str, Callable[[str, Ingredients, str | None], _ParsedSpec]] = {
    "python": _parse_python,
    "kaggle": _parse_kaggle,
}


def _parse_command(command: str, ingredients: Ingredients) -> tuple[str, ...]:
    """Return the words of a command, and collect the files and the program that they name."""
    folder = ingredients.folder
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be read: {error}") from error
    in_folder = (folder / words[0]).is_file()
    if in_folder and "/" not in words[0] and shutil.which(words[0]) is None:
        raise SpecError(
            f"{words[0]!r} is not on PATH, where a command without a slash is looked up: did you "
            f"mean ./{words[0]}?"
        )
    if not in_folder:
        ingredients.add_program(find_program(words[0], folder))
    for word in words:
        if (folder / word).is_file():
            ingredients.add_file(folder / word, word)
    return words


def _is_compiled(path: Path) -> bool:
    """Return whether a file is a program or library in machine code."""
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _find_file(folder: Path, file: str, kind: str) -> Path:
    path = folder / file
    if not path.is_file():
        raise SpecError(f"{kind}: there is no file {file} in {folder}")
    return path.absolute()


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
