"""Where the files of a bot come from: its folder, or a revision in git."""

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from bots.errors import SpecError
from bots.protocol import BudgetKind
from db.records.archives import PackedArchive
from db.records.launch import Launch, Origin
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.match.specs.archive import MOST_MB, pack
from ladder.match.specs.folder_files import find_tree_files
from ladder.match.specs.git import built_tree, find_repository, has_uncommitted, resolve_commit
from ladder.match.specs.programs import environment_without_secrets, find_interpreter
from ladder.match.specs.spec import BUILTIN, ResolvedBot, read_spec
from ladder.match.specs.start_command import make_start

PROJECT = "connect4-ladder"
DESCRIBE = """
import json, sys
import bots
from bots.catalogue import parse_player
from bots.errors import BotsError
try:
    version, options = parse_player(sys.argv[1])
except BotsError as error:
    sys.exit(str(error))
try:
    from bots.game_clock import GameClock
    clocks = ["clock", "overage"]
except ImportError:
    clocks = []
print(json.dumps([bots.__file__, version.family, [*version.budgets, *clocks]]))
"""
"""A program that prints the file, family and budgets of a player, run by a revision's sources."""
DESCRIBE_S = 60.0


@dataclass(frozen=True, slots=True)
class GitSource:
    """A revision of a git repository and its build command."""

    revision: str
    build: str = ""
    """The build command, or "" for none."""


@dataclass(frozen=True, slots=True)
class GitTree:
    """The files of a revision after its build."""

    root: Path
    """The top folder of the files."""
    origin: Origin
    start: Path
    """The folder in the working tree in which a specification is written."""
    repository: Path
    """The top folder of the working tree."""

    @property
    def place(self) -> Path:
        """The folder in which a specification is read."""
        return self.root / self.origin.inner

    def below(self, folder: Path) -> "GitTree":
        """Return the tree with specifications in a folder below the present one.

        Raises:
            UsageError: there is no such folder.

        """
        place = (self.place / folder).resolve()
        if not place.is_dir() or not place.is_relative_to(self.root):
            raise UsageError(f"{folder} is not a folder of {self.origin.revision}")
        origin = msgspec.structs.replace(self.origin, inner=_inner(place, self.root))
        return replace(self, origin=origin, start=self.start / folder)


def _inner(folder: Path, top: Path) -> str:
    """Return the path of a folder below another one; "" for that one itself."""
    return "" if folder == top else str(folder.relative_to(top))


def make_git_source(git: str | None, build: str | None) -> GitSource | None:
    """Return the source that the options `git` and `build` describe.

    Raises:
        UsageError: a build command without a revision.

    """
    if git is None:
        if build is not None:
            raise UsageError(
                "a build command needs a bot from git: name its revision, too", option="build"
            )
        return None
    return GitSource(git, build or "")


def find_spec_repository(spec: str, folder: Path, option: str | None = "git") -> Path:
    """Return the top folder of the repository in which a specification is read.

    For a built-in player this is the repository of this project.

    Args:
        spec: as `ladder.match.specs.spec.read_spec` takes it.
        folder: the folder in which it was written.
        option: the option that an error names, or None.

    Raises:
        UsageError: there is no repository.

    """
    return find_repository(_find_start_folder(spec, folder), option)


def describe_uncommitted(spec: str, folder: Path, source: GitSource | None) -> str | None:
    """Return a warning about changes that are not part of the revision, or None.

    Raises:
        UsageError: there is no such repository or revision.

    """
    if source is None:
        return None
    repository = find_spec_repository(spec, folder)
    if not has_uncommitted(repository, resolve_commit(repository, source.revision)):
        return None
    return f"uncommitted changes in {repository} are not part of {source.revision}"


def pack_spec(
    spec: str,
    folder: Path,
    *,
    python: str | None = None,
    source: GitSource | None = None,
    patterns: Sequence[str] = (),
    most_mb: int = MOST_MB,
) -> ResolvedBot:
    """Pack the files of a specification, as they are now or at a revision.

    Args:
        spec: as `ladder.match.specs.spec.read_spec` takes it.
        folder: the folder in which it was written.
        python: the interpreter for ``python:`` and ``kaggle:``, and for ``builtin:`` at a revision.
        source: the revision; None: the files as they are now.
        patterns: files that are added to those which the specification means.
        most_mb: the limit on all files together, in MiB.

    Raises:
        UsageError: the revision is missing or cannot be built, or the files cannot be packed.
        SpecError: the specification is not valid there.

    """
    if source is None:
        resolved = read_spec(spec, folder, python=python, patterns=patterns, most_mb=most_mb)
        if resolved.launch.is_own:
            return resolved
        packed = pack(folder.resolve(), resolved.paths, most_mb=most_mb)
        return _packed_bot(resolved, packed, patterns)
    with open_tree(spec, folder, source) as tree:
        bot = pack_in_tree(tree, spec, python=python, patterns=patterns, most_mb=most_mb)
    return _described(spec, bot) if spec.startswith(BUILTIN) else bot


@contextmanager
def open_tree(spec: str, folder: Path, source: GitSource) -> Iterator[GitTree]:
    """Yield the files of a revision after its build, and remove them afterwards.

    Python environments among them are kept, for their interpreters may be needed.

    Args:
        spec: a specification, which decides whose repository is meant.
        folder: the folder in which it was written.
        source: the revision.

    Raises:
        UsageError: the revision is missing or cannot be built.

    """
    start, repository, origin = find_origin(spec, folder, source)
    with built_tree(repository, origin) as root:
        yield GitTree(root, origin, start, repository)


def pack_in_tree(
    tree: GitTree,
    spec: str,
    *,
    python: str | None = None,
    patterns: Sequence[str] = (),
    most_mb: int = MOST_MB,
) -> ResolvedBot:
    """Pack the files of a specification in a tree. The arguments are those of `pack_spec`."""
    root, origin = tree.root, tree.origin
    for mention in spec.split(f"{tree.repository}{os.sep}")[1:]:
        inside = re.split(r"[\s:'\"]", mention)[0]
        if (root / inside).exists():
            raise UsageError(
                f"{spec} names a file of the working tree, {inside}, not of {origin.revision}: "
                "write it relative to the current folder"
            )
    try:
        if spec.startswith(BUILTIN):
            resolved = _read_player(spec, tree.place, root, python)
        else:
            resolved = read_spec(
                spec, tree.place, python=python, patterns=patterns, root=root, most_mb=most_mb
            )
    except SpecError as error:
        raise SpecError(
            f"at {origin.revision} ({origin.commit[:12]}, committed files only): {error}"
        ) from error
    packed = pack(root, resolved.paths, most_mb=most_mb)
    launch = msgspec.structs.replace(resolved.launch, folder=str(tree.start), origin=origin)
    return _packed_bot(replace(resolved, launch=launch), packed, patterns)


def find_origin(spec: str, folder: Path, source: GitSource) -> tuple[Path, Path, Origin]:
    """Return the folder that a specification refers to, its repository, and the commit.

    Raises:
        UsageError: there is no such repository or revision.

    """
    start = _find_start_folder(spec, folder)
    repository = find_repository(start)
    commit = resolve_commit(repository, source.revision)
    origin = Origin(
        revision=source.revision,
        commit=commit.commit,
        tree=commit.tree,
        inner=_inner(start, repository.resolve()),
        build=source.build,
        committed_at=commit.time,
    )
    return start, repository, origin


def _packed_bot(
    resolved: ResolvedBot, packed: PackedArchive, patterns: Sequence[str]
) -> ResolvedBot:
    """Return a bot with its archive and its identity: its files and how they are started."""
    launch = msgspec.structs.replace(
        resolved.launch, archive=packed.manifest.sha256, patterns=tuple(patterns)
    )
    return replace(resolved, launch=launch, content_hash=identity_of(launch), packed=packed)


def identity_of(launch: Launch) -> str:
    """Return the content hash of a bot with an archive: its files and how they are started.

    Interpreters and programs outside of the archive are information, not identity.
    """
    first, *others = launch.command or ("",)
    inner = "" if launch.origin is None else launch.origin.inner
    command = [first if launch.program is None else Path(first).name, *others]
    parts = [launch.archive, launch.host, launch.player, inner, command]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _find_start_folder(spec: str, folder: Path) -> Path:
    """Return the folder whose repository is meant: this project's for a built-in player."""
    folder = folder.resolve()
    if not spec.startswith(BUILTIN):
        return folder
    for place in (folder, *folder.parents, ROOT):
        if _is_project(place):
            return place
    raise UsageError(
        f"{spec} is a player of {PROJECT} itself: run the command in a clone of its repository",
        option="git",
    )


def _is_project(folder: Path) -> bool:
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        return bool(tomllib.loads(text).get("project", {}).get("name") == PROJECT)
    except (OSError, ValueError, AttributeError):
        return False


def _read_player(spec: str, folder: Path, root: Path, python: str | None) -> ResolvedBot:
    """Resolve a player of this project that the sources of a commit host."""
    if not (folder / "bots" / "host.py").is_file():
        raise SpecError("this revision has no bots/host.py, so it cannot host a player")
    interpreter = None if python is None else find_interpreter(python, folder)
    launch = Launch(
        command=(),
        folder="",
        player=spec.removeprefix(BUILTIN),
        python=None if interpreter is None else interpreter.path,
        is_python_chosen=python is not None,
    )
    files = {} if interpreter is None else {interpreter.path: interpreter.version}
    return ResolvedBot("", launch, files, paths=tuple(find_tree_files(root)))


def _described(spec: str, bot: ResolvedBot) -> ResolvedBot:
    """Return a packed player with the family and budgets of its own catalogue."""
    launch, player = bot.launch, spec.removeprefix(BUILTIN)
    start = make_start(launch)
    try:
        done = subprocess.run(
            [launch.python or sys.executable, "-P", "-c", DESCRIBE, player],
            cwd=start.folder,
            env={**environment_without_secrets(), **dict(start.environment)},
            capture_output=True,
            text=True,
            timeout=DESCRIBE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise SpecError("its catalogue of players did not answer within a minute") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["it printed nothing"]
        raise SpecError(f"its catalogue of players failed: {lines[-1]}")
    answer = done.stdout.splitlines()[-1]
    file, family, budgets = msgspec.json.decode(answer, type=tuple[str, str, list[BudgetKind]])
    if not Path(file).is_relative_to(start.folder):
        raise SpecError(f"{player} would run {file} instead of the sources of its commit")
    return replace(bot, family=family, budgets=tuple(budgets))
