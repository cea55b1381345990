"""Bot specifications: resolve what a user writes to a launch and the files that belong to it."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bots.catalogue import VERSIONS, parse_player, with_options
from bots.errors import SpecError
from bots.golden import OPTION, behaviour, content_hash
from bots.protocol import BudgetKind
from db.records.archives import PackedArchive
from db.records.launch import Launch
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.match.specs.archive import MOST_MB
from ladder.match.specs.folder_files import (
    COMPILED,
    find_folder_files,
    find_local_modules,
    find_tree_files,
    is_ladders_file,
    select_files,
)
from ladder.match.specs.forms import PARSERS, PYTHON_FORMS, ParsedSpec, SpecPlace
from ladder.match.specs.start_command import own_sources

BUILTIN = "builtin:"
FOREIGN = "foreign"
FORMS = (
    "builtin:PLAYER, exec:COMMAND, python:FILE.py:CLASS, python:MODULE:CLASS, kaggle:FILE.py "
    "or FILE.tar.gz, thu:FILE.so or saiblo:COMMAND"
)
DIGITS = 16
"""Digits of the hash of our own sources in a player's identity."""


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
    packed: PackedArchive | None = None
    """The archive that its launch names; None before it is packed, and for our own players."""


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
    if not colon or kind not in {"builtin", *PARSERS}:
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
    place = SpecPlace(folder.resolve(), (root or folder).resolve())
    try:
        parsed = PARSERS[kind](rest.strip(), place, python)
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


def _select(
    parsed: ParsedSpec, place: SpecPlace, patterns: Sequence[str], most_mb: int
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
