"""Bot specifications: from what a user writes to a launch, and the files that belong to it."""

import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS, parse_player, with_options
from bots.errors import SpecError
from bots.golden import OPTION, behaviour, content_hash
from db.records.bots import NewRevision
from db.records.launch import Launch, Origin
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.registry.specs.archive import MOST_MB, pack
from ladder.registry.specs.folder_files import HOST, find_left_out, find_tree_files, is_output
from ladder.registry.specs.forms import (
    PYTHON_FORMS,
    READERS,
    SpecReader,
    find_bot_files,
)
from ladder.registry.specs.git import (
    GitTree,
    built_tree,
    find_repository,
    has_uncommitted,
    resolve_commit,
)
from ladder.registry.specs.programs import find_interpreter
from ladder.registry.specs.start_command import builtin_launch, own_sources
from ladder.registry.specs.targets import find_root

BUILTIN = "builtin:"
FOREIGN = "foreign"
FORMS = (
    "builtin:PLAYER, exec:COMMAND, moves:COMMAND, python:FILE.py:CLASS, python:MODULE:CLASS, "
    "kaggle:FILE.py[:NAME] or FILE.tar.gz, thu:FILE.so or saiblo:COMMAND"
)
SUGGESTED = {
    ".so": "thu:{word}",
    ".gz": "kaggle:{word}",
    ".ipynb": "kaggle:{word}",
    ".py": "'exec:python3 {word}', kaggle:{word} or python:{word}:CLASS",
}
"""Specifications of files by their suffix; of others ``exec:``."""
CLOCK = "bots/game_clock.py"
"""The file without which older sources cannot play under a clock or with an overage."""
DIGITS = 16
"""Digits of the hash of our own sources in a player's identity."""


@dataclass(frozen=True, slots=True)
class BotSource:
    """Where a bot comes from: its specification, and what the user says about its files."""

    spec: str
    """The specification as the user wrote it."""
    folder: Path
    """The folder in which it was written, and in which the bot will run."""
    python: str | None = None
    """The interpreter for ``python:`` and ``kaggle:``, and for ``builtin:`` at a revision; None:
    python3 on PATH, and our own for ``builtin:``."""
    patterns: tuple[str, ...] = ()
    """Patterns of further files that belong to the bot; they replace its whole folder."""
    most_mb: int = MOST_MB
    """The limit on all files together, in MiB."""
    git: str | None = None
    """The revision of the repository around the folder; None: the files as they are now."""
    build: str = ""
    """The command that builds the files of the revision; "" for none."""
    outputs: tuple[Path, ...] = ()
    """Files that the command writes, which never belong to the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedBot(NewRevision):
    """A specification, resolved to the files and programs that it means now.

    Before its files are packed, its content hash is "" and its launch starts it in its folder.
    Without budgets its hello lists them.
    """

    family: str = FOREIGN
    paths: tuple[Path, ...] = ()
    """The files, links and empty folders that belong to it."""
    named: tuple[str, ...] = ()
    """The files that its specification and patterns name, and what these import."""
    left_out: tuple[str, ...] = ()
    """What lies beside them and does not belong to it, for its author."""


def rooted(source: BotSource, root: Path | None = None) -> BotSource:
    """Return the same bot, read from a folder that holds all of its packages.

    A Kaggle submission may import packages from folders above the current one.

    Args:
        source: the bot.
        root: the top of a tree from git; None: the folder is no part of one.

    """
    if source.git is not None and root is None:
        return source
    found = find_root(source.spec, source.folder.resolve(), source.python)
    if found is None or (root is not None and not found[1].is_relative_to(root.resolve())):
        return source
    spec, folder = found
    inner = os.path.relpath(source.folder.resolve(), folder)
    patterns = tuple(os.path.join(inner, each) for each in source.patterns)
    return replace(source, spec=spec, folder=folder, patterns=patterns)


def read_spec(source: BotSource, root: Path | None = None) -> ResolvedBot:
    """Resolve a specification to files as they are now.

    Args:
        source: the specification.
        root: the top of a tree from git, all of which belongs to the bot unless there are patterns;
            None: the folder, of which the specification means a part.

    Raises:
        SpecError: the specification has no known form, or names a missing file or program.
        UnknownPlayer: no built-in player has the name.
        UsageError: an option does not fit the specification, or a file lies outside of the root.

    """
    source = rooted(source, root)
    spec, folder = source.spec, source.folder
    kind, colon, rest = spec.partition(":")
    if source.python is not None and kind not in PYTHON_FORMS:
        problem = f"only python: and kaggle: bots have an interpreter, not {kind}: bots"
        raise UsageError(problem, option="python")
    if not colon or kind not in {"builtin", *READERS}:
        suggestion = _suggest_spec(spec, folder)
        if suggestion:
            raise SpecError(f"{spec!r} is not a specification: did you mean {suggestion}?")
        raise SpecError(f"unknown specification {spec!r}: write {FORMS}")
    if not rest.strip():
        raise SpecError(f"nothing follows {kind}: in the specification: write {FORMS}")
    if kind + ":" == BUILTIN:
        if source.patterns:
            problem = "a built-in player has no files to choose: leave the patterns out"
            raise UsageError(problem, option="files")
        return _resolve_builtin(rest, folder)
    reader = SpecReader(folder.resolve(), (root or folder).resolve(), source.python)
    try:
        launch = READERS[kind](reader, rest.strip())
        named, others = find_bot_files(
            reader,
            patterns=source.patterns,
            most_mb=source.most_mb,
            is_tree=root is not None,
        )
    except OSError as error:
        # A name that no file can have, or a file without the right to read it.
        problem = f"a file of {spec[:80]!r} cannot be read: {error.strerror or error}"
        raise SpecError(problem) from error
    paths = [path for path in (*named, *others) if not is_output(path, source.outputs)]
    return ResolvedBot(
        content_hash="",
        launch=launch,
        budgets=(),
        files=dict(reader.programs),
        paths=tuple(paths),
        named=tuple(os.path.relpath(path, reader.root) for path in named),
        left_out=find_left_out(reader.home, paths),
    )


def pack_bot(source: BotSource) -> ResolvedBot:
    """Pack the files of a bot, as they are now or at a revision.

    Raises:
        UsageError: the revision is missing or cannot be built, or the files cannot be packed.
        SpecError: the specification is not valid there.

    """
    if source.git is None:
        bot = read_spec(source)
        return bot if bot.launch.is_own else _packed(bot, source, Path(bot.launch.folder))
    with built_tree(*find_origin(source)) as tree:
        return pack_in_tree(replace(source, folder=tree.root / tree.origin.inner), tree)


def pack_in_tree(source: BotSource, tree: GitTree) -> ResolvedBot:
    """Pack the files of a bot whose folder is one of a tree.

    Raises:
        UsageError: the files cannot be packed.
        SpecError: the specification is not valid there.

    """
    origin = tree.origin
    where = f"at {origin.revision} ({origin.commit[:12]}, committed files only)"
    try:
        _refuse_paths_of_working_tree(source.spec, tree)
        source = rooted(source, tree.root)
        is_player = source.spec.startswith(BUILTIN)
        bot = _read_player(source, tree.root) if is_player else read_spec(source, tree.root)
    except UsageError as error:
        raise UsageError(f"{where}: {error.problem}", option=error.option) from error
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from error
    inner = os.path.relpath(source.folder.resolve(), tree.root.resolve())
    origin = msgspec.structs.replace(origin, inner="" if inner == "." else inner)
    folder = str(tree.repository / origin.inner)
    launch = msgspec.structs.replace(bot.launch, folder=folder, origin=origin)
    return _packed(replace(bot, launch=launch), source, tree.root)


def find_origin(source: BotSource) -> tuple[Path, Origin]:
    """Return the repository of a bot at a revision, and its commit.

    Raises:
        UsageError: there is no such repository or revision.

    """
    repository = find_spec_repository(source, "git").resolve()
    revision = source.git or "HEAD"
    commit = resolve_commit(repository, revision)
    inner = os.path.relpath(_find_start_folder(source), repository)
    return repository, Origin(
        revision=revision,
        commit=commit.commit,
        tree=commit.tree,
        inner="" if inner == "." else inner,
        build=source.build,
        committed_at=commit.time,
    )


def find_spec_repository(source: BotSource, option: str | None = None) -> Path:
    """Return the top folder of the repository in which a specification is read.

    Args:
        source: the bot.
        option: the option that an error names, or None.

    Raises:
        UsageError: there is no repository.

    """
    return find_repository(_find_start_folder(source), option)


def describe_uncommitted(source: BotSource) -> str:
    """Return a warning about changes that are not part of the revision, or "".

    Raises:
        UsageError: there is no such repository or revision.

    """
    if source.git is None:
        return ""
    repository = find_spec_repository(source, "git")
    if not has_uncommitted(repository, resolve_commit(repository, source.git)):
        return ""
    return f"uncommitted changes in {repository} are not part of {source.git}"


def identity_of(launch: Launch) -> str:
    """Return the content hash of a bot with an archive: its files and how they are started.

    Interpreters and programs outside of the archive are information, not identity.
    """
    first, *others = launch.command or ("",)
    inner = "" if launch.origin is None else launch.origin.inner
    command = [first if launch.program is None else Path(first).name, *others]
    parts: list[object] = [launch.archive, launch.host, launch.player, inner, command]
    parts += [launch.host_options] if launch.host_options else []
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _refuse_paths_of_working_tree(spec: str, tree: GitTree) -> None:
    """Raise UsageError if a specification names a committed path in the working tree."""
    place = re.escape(str(tree.repository))
    for mention in re.findall(rf"(?<![\w.~/-]){place}(/[^\s:'\"]*)?(?![\w.-])", spec):
        inside = mention.lstrip("/")
        if os.path.exists(tree.root / inside):
            raise UsageError(
                f"{tree.repository / inside} lies in the working tree, which is not what is "
                "stored: write the path relative to the current folder"
            )


def _packed(bot: ResolvedBot, source: BotSource, root: Path) -> ResolvedBot:
    """Return a bot with its archive and its identity: its files and how they are started."""
    packed = pack(root, bot.paths, most_mb=source.most_mb)
    launch = msgspec.structs.replace(
        bot.launch, archive=packed.manifest.sha256, patterns=source.patterns
    )
    return replace(bot, launch=launch, content_hash=identity_of(launch), packed=packed)


def _find_start_folder(source: BotSource) -> Path:
    """Return the folder whose repository is meant: this project's for a built-in player."""
    folder = source.folder.resolve()
    if not source.spec.startswith(BUILTIN):
        return folder
    places = (folder, *folder.parents)
    return next((place for place in places if (place / HOST).is_file()), ROOT)


def _read_player(source: BotSource, root: Path) -> ResolvedBot:
    """Resolve a player of this project that the sources of a commit host.

    Its family and budgets are those of the current player of its name, clocks apart.
    """
    if not (source.folder / HOST).is_file():
        raise SpecError(f"this revision has no {HOST}, so it cannot host a player")
    player = source.spec.removeprefix(BUILTIN)
    launch, files = builtin_launch(player), {}
    if source.python is not None:
        python = find_interpreter(source.python, source.folder)
        launch = msgspec.structs.replace(launch, python=python.path, is_python_chosen=True)
        files[python.path] = python.version
    version = VERSIONS.get(player.partition("?")[0])
    clocks = ("clock", "overage") if (source.folder / CLOCK).is_file() else ()
    return ResolvedBot(
        content_hash="",
        family=FOREIGN if version is None else version.family,
        launch=launch,
        files=files,
        budgets=() if version is None else (*version.budgets, *clocks),
        paths=tuple(find_tree_files(root)),
    )


def _suggest_spec(word: str, folder: Path) -> str:
    """Return the specification of a file or player that has no prefix, or "" if it is neither."""
    path = folder / word
    with suppress(OSError):  # no file can have such a name
        if path.is_file():
            command = word if "/" in word else f"./{word}"
            return SUGGESTED.get(path.suffix, "exec:{command}").format(word=word, command=command)
    return f"{BUILTIN}{word}" if word in VERSIONS else ""


def resolve_own_player(launch: Launch) -> ResolvedBot:
    """Resolve a player of this installation from a stored launch.

    Raises:
        SpecError: an option is not valid.
        UnknownPlayer: no built-in player has the name.

    """
    return _resolve_builtin(str(launch.player), ROOT)


def _resolve_builtin(player: str, folder: Path) -> ResolvedBot:
    version, written = parse_player(player)
    # If an option names a file, the file's content is stored with the bot, not its path.
    options = version.resolve_options(written, folder)
    if options != written:
        player = with_options(player, options)
    return ResolvedBot(
        family=version.family,
        launch=builtin_launch(player),
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
