"""Bots from git: a specification read in the ladder's copy of a revision."""

import hashlib
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
from db.records.launch import (
    Launch,
    Origin,
)
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.match.specs.fingerprint import interpreter
from ladder.match.specs.git import (
    commit_of,
    has_uncommitted,
    repository_of,
)
from ladder.match.specs.git_copies import (
    FILES,
    copy_states,
    damage,
    folder_of,
    taken,
)
from ladder.match.specs.spec import (
    BUILTIN,
    ResolvedBot,
    read_spec,
)
from ladder.match.specs.start_command import start_of
from ladder.match.specs.surroundings import without_secrets

GIT_TREE, BUILT_BY = "git tree", "built by"
"""Ingredients of a bot that are facts, not files: its tree, and its build command."""
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
print(json.dumps([bots.__file__, version.family, list(version.budgets)]))
"""
"""Asks a revision of this project about a player of its own."""
DESCRIBE_S = 60.0


@dataclass(frozen=True, slots=True)
class GitSource:
    """A revision of a git repository and its build, asked for by `--git` and `--build`."""

    revision: str
    build: str
    """"" for none."""
    copies: Path
    """The folder of the copies; see `ladder.match.specs.git_copies`."""


def git_source(git: str | None, build: str | None, copies: Path) -> GitSource | None:
    """From the options of the command line.

    Raises:
        UsageError: `--build` without `--git`.

    """
    if git is None:
        if build is not None:
            raise UsageError("--build builds what --git takes: give --git REF, too")
        return None
    return GitSource(git, build or "", copies)


def repository_for(spec: str, folder: Path, option: str = "--git") -> Path:
    """The top folder of the repository that a specification is read in; this project's own for a
    built-in player.

    Args:
        spec: as `ladder.match.specs.spec.read_spec` takes it.
        folder: where it was written.
        option: named in a refusal.

    Raises:
        UsageError: there is none.

    """
    return repository_of(_start(spec, folder), option)


def uncommitted(spec: str, folder: Path, source: GitSource | None) -> str | None:
    """A sentence about changes that the revision leaves out, None when there are none.

    Raises:
        UsageError: there is no such repository or revision.

    """
    if source is None:
        return None
    repository = repository_of(_start(spec, folder))
    if not has_uncommitted(repository, commit_of(repository, source.revision)):
        return None
    return f"uncommitted changes in {repository} are not part of {source.revision}"


@contextmanager
def resolving(
    spec: str,
    folder: Path,
    *,
    python: str | None = None,
    source: GitSource | None = None,
    patterns: Sequence[str] = (),
) -> Iterator[ResolvedBot]:
    """A specification resolved, in its folder or at a revision.

    A copy that was made for it is removed again when the body fails.

    Args:
        spec: as `ladder.match.specs.spec.read_spec` takes it.
        folder: where it was written.
        python: the interpreter for ``python:`` and ``kaggle:``, and for ``builtin:`` at a revision.
        source: the revision; None: the files as they are now.
        patterns: files that count as the bot; none at a revision, where all of the commit does.

    Raises:
        UsageError: the revision cannot be had or built.
        SpecError: the specification cannot be read there.

    """
    if source is None:
        yield read_spec(spec, folder, python=python, patterns=patterns)
        return
    if patterns:
        raise UsageError("--files has no use with --git, where every file of the commit counts")
    start = _start(spec, folder)
    repository = repository_of(start)
    with taken(
        source.copies,
        repository,
        commit_of(repository, source.revision),
        revision=source.revision,
        inner=_inner(start, repository),
        build=source.build,
    ) as origin:
        _refuse_absolute(spec, repository, origin)
        yield resolve_in_copy(spec, origin, python=python)


def resolve_in_copy(
    spec: str,
    origin: Origin,
    *,
    python: str | None,
    registered: Mapping[str, str] | None = None,
) -> ResolvedBot:
    """A specification resolved in a copy.

    Its identity is the commit's files, the build, the folder and the specification, and the
    interpreter or program from outside the copy that runs it. `registered` is as in
    `ladder.match.specs.spec.read_spec`.

    Raises:
        SpecError: the copy was changed, or the specification names what is not there.

    """
    changed = damage(origin)
    if changed:
        names = ", ".join(f"{name} {word}" for name, word in list(changed.items())[:5])
        raise SpecError(
            f"the ladder's copy of {origin.revision} in {origin.place} is not what was taken from "
            f"git ({names}): `ladder bots add` with the same --git and --replace takes it anew"
        )
    folder = folder_of(origin)
    try:
        if spec.startswith(BUILTIN):
            resolved = _player(spec, origin, python)
        else:
            # What lies in the copy's folders counts by the commit's tree.
            resolved = read_spec(spec, folder, python=python, known={}, registered=registered)
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
        content_hash=hashlib.sha256(repr(identity).encode()).hexdigest()[:16],
        states=copy_states(origin),
        not_tracked="files outside of the commit, and installed packages",
    )


def _start(spec: str, folder: Path) -> Path:
    """The folder whose repository is meant: for a built-in player that of this project."""
    folder = folder.resolve()
    if not spec.startswith(BUILTIN):
        return folder
    for place in (folder, *folder.parents, ROOT):
        if _is_project(place):
            return place
    raise UsageError(
        f"--git with {spec} takes a revision of {PROJECT} itself: run the command in a clone of it"
    )


def _is_project(folder: Path) -> bool:
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        return bool(tomllib.loads(text).get("project", {}).get("name") == PROJECT)
    except (OSError, ValueError, AttributeError):
        return False


def _inner(start: Path, repository: Path) -> str:
    inner = str(start.relative_to(repository.resolve()))
    return "" if inner == "." else inner


def _refuse_absolute(spec: str, repository: Path, origin: Origin) -> None:
    """Refuse a specification that names the working tree's files instead of the copy's."""
    try:
        words = shlex.split(spec.partition(":")[2])
    except ValueError:
        return  # read_spec says so
    for word in words:
        path = Path(word)
        if path.is_absolute() and path.is_relative_to(repository):
            inside = path.relative_to(repository)
            if Path(origin.place, FILES, inside).is_file():
                raise UsageError(
                    f"{word} is the file of the working tree, whatever --git says: write it "
                    "relative to the current folder"
                )


def _player(spec: str, origin: Origin, python: str | None) -> ResolvedBot:
    """A player of this project, hosted by the copy's own sources."""
    folder = folder_of(origin)
    if not (folder / "bots" / "host.py").is_file():
        raise SpecError("this revision has no bots/host.py, so it cannot host a player")
    if os.pathsep in str(folder):
        raise SpecError(f"{folder} cannot stand in PYTHONPATH: choose a --db without {os.pathsep}")
    files: dict[str, str] = {}
    command = None
    if python is not None:
        command, files = interpreter(python, folder)
    player = spec.removeprefix(BUILTIN)
    launch = Launch(command=(), folder=str(folder), player=player, python=command, origin=origin)
    file, family, budgets = _described(player, launch)
    if not Path(file).is_relative_to(folder):
        raise SpecError(f"{player} would run {file} instead of the copy's own sources")
    return ResolvedBot(family, launch, files, content_hash="", budgets=tuple(budgets))


def _described(player: str, launch: Launch) -> tuple[str, str, list[BudgetKind]]:
    """Where the copy's package lies, and the player's family and budgets by its own catalogue."""
    try:
        done = subprocess.run(
            [launch.python or sys.executable, "-P", "-c", DESCRIBE, player],
            cwd=launch.folder,
            env={**without_secrets(), **dict(start_of(launch).environment)},
            capture_output=True,
            text=True,
            timeout=DESCRIBE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise SpecError("its catalogue of players did not answer within a minute") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        raise SpecError(f"its catalogue of players failed: {lines[-1]}")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=tuple[str, str, list[BudgetKind]])
