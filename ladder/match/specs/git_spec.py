"""Bots from git: specifications that are read in the ladder's copy of a revision."""

import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from bots.errors import SpecError
from bots.protocol import BudgetKind
from db.records.launch import Launch, Origin
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.match.specs.environment import environment_without_secrets
from ladder.match.specs.file_state import hash_value
from ladder.match.specs.fingerprint import find_interpreter
from ladder.match.specs.git import find_repository, has_uncommitted, resolve_commit
from ladder.match.specs.git_copies import FILES, copy_states, find_damage, folder_of, open_copy
from ladder.match.specs.spec import BUILTIN, ResolvedBot, read_spec
from ladder.match.specs.start_command import make_start

GIT_TREE, BUILT_BY = "git tree", "built by"
"""Names of the ingredients that are not files: the hash of the tree, and the build command."""
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
    build: str
    """The build command, or "" for none."""
    copies: Path
    """The folder of all copies; see `ladder.match.specs.git_copies`."""


def make_git_source(git: str | None, build: str | None, copies: Path) -> GitSource | None:
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
    return GitSource(git, build or "", copies)


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


@contextmanager
def resolve_spec(
    spec: str,
    folder: Path,
    *,
    python: str | None = None,
    source: GitSource | None = None,
    patterns: Sequence[str] = (),
) -> Iterator[ResolvedBot]:
    """Resolve a specification in its folder or at a revision.

    A copy that was missing is removed if the body of the `with` statement fails.

    Args:
        spec: as `ladder.match.specs.spec.read_spec` takes it.
        folder: the folder in which it was written.
        python: the interpreter for ``python:`` and ``kaggle:``, and for ``builtin:`` at a revision.
        source: the revision; None: the files as they are now.
        patterns: files that count as the bot; not at a revision, where the whole commit counts.

    Raises:
        UsageError: the revision is missing or cannot be built.
        SpecError: the specification is not valid there.

    """
    if source is None:
        yield read_spec(spec, folder, python=python, patterns=patterns)
        return
    if patterns:
        problem = "of a bot from git every file of the commit counts: leave the patterns out"
        raise UsageError(problem, option="files")
    start = _find_start_folder(spec, folder)
    repository = find_repository(start)
    with open_copy(
        source.copies,
        repository,
        resolve_commit(repository, source.revision),
        revision=source.revision,
        inner=_path_inside(start, repository),
        build=source.build,
    ) as origin:
        _refuse_absolute(spec, repository, origin)
        yield resolve_in_copy(spec, origin, python=python)


def resolve_in_copy(
    spec: str,
    origin: Origin,
    *,
    python: str | None,
    remote_programs: Mapping[str, str] | None = None,
) -> ResolvedBot:
    """Resolve a specification in the copy of a revision.

    The bot's identity is made of the commit's files, the build command, the folder, the
    specification, and the interpreter or program from outside the copy that runs it.

    Args:
        spec: as `ladder.match.specs.spec.read_spec` takes it.
        origin: the copy.
        python: the interpreter, or None for the default.
        remote_programs: as in `ladder.match.specs.spec.read_spec`.

    Raises:
        SpecError: the copy was changed, or the specification names a missing file.

    """
    changed = find_damage(origin)
    if changed:
        names = ", ".join(f"{name} {word}" for name, word in list(changed.items())[:5])
        raise SpecError(
            f"the ladder's copy of {origin.revision} in {origin.place} has changed ({names}): "
            f"`ladder bots add NAME SPEC --git {origin.revision} --replace` makes a new copy"
        )
    folder = folder_of(origin)
    try:
        if spec.startswith(BUILTIN):
            resolved = _resolve_player(spec, origin, python)
        else:
            # No files are collected from the copy: its commit's tree identifies them all.
            resolved = read_spec(
                spec, folder, python=python, stored={}, remote_programs=remote_programs
            )
    except SpecError as error:
        raise SpecError(
            f"at {origin.revision} ({origin.commit[:12]}, committed files only): {error}"
        ) from error
    outside = {
        name: value
        for name, value in resolved.files.items()
        if Path(name).is_absolute() and not Path(name).is_relative_to(origin.place)
    }
    identity = (spec, origin.tree, origin.inner, origin.build, sorted(outside.items()))
    files = {GIT_TREE: origin.tree, **resolved.files}
    if origin.build:
        files[BUILT_BY] = origin.build
    return replace(
        resolved,
        launch=msgspec.structs.replace(resolved.launch, origin=origin),
        files=files,
        content_hash=hash_value(identity),
        states=copy_states(origin),
        not_tracked="files outside of the commit, and installed packages",
    )


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


def _path_inside(start: Path, repository: Path) -> str:
    inner = str(start.relative_to(repository.resolve()))
    return "" if inner == "." else inner


def _refuse_absolute(spec: str, repository: Path, origin: Origin) -> None:
    """Refuse a specification that names files of the working tree instead of the copy's."""
    try:
        words = shlex.split(spec.partition(":")[2])
    except ValueError:  # read_spec reports it
        return
    for word in words:
        path = Path(word)
        if path.is_absolute() and path.is_relative_to(repository):
            inside = path.relative_to(repository)
            if Path(origin.place, FILES, inside).is_file():
                raise UsageError(
                    f"{word} is a file of the working tree, not of {origin.revision}: write it "
                    "relative to the current folder"
                )


def _resolve_player(spec: str, origin: Origin, python: str | None) -> ResolvedBot:
    """Resolve a player of this project that the copy's own sources host."""
    folder = folder_of(origin)
    if not (folder / "bots" / "host.py").is_file():
        raise SpecError("this revision has no bots/host.py, so it cannot host a player")
    if os.pathsep in str(folder):
        raise SpecError(
            f"{folder} cannot be part of PYTHONPATH: choose a database whose path has no "
            f"{os.pathsep!r}"
        )
    interpreter = None if python is None else find_interpreter(python, folder)
    player = spec.removeprefix(BUILTIN)
    launch = Launch(
        command=(),
        folder=str(folder),
        player=player,
        python=None if interpreter is None else interpreter.path,
        origin=origin,
    )
    file, family, budgets = _describe_player(player, launch)
    if not Path(file).is_relative_to(folder):
        raise SpecError(f"{player} would run {file} instead of the copy's own sources")
    files = {} if interpreter is None else {interpreter.path: interpreter.version}
    return ResolvedBot(family, launch, files, content_hash="", budgets=tuple(budgets))


def _describe_player(player: str, launch: Launch) -> tuple[str, str, list[BudgetKind]]:
    """Return the file of the copy's package, and family and budgets from its own catalogue."""
    try:
        done = subprocess.run(
            [launch.python or sys.executable, "-P", "-c", DESCRIBE, player],
            cwd=launch.folder,
            env={**environment_without_secrets(), **dict(make_start(launch).environment)},
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
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=tuple[str, str, list[BudgetKind]])
