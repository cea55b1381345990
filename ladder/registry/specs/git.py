"""Git: find a repository, resolve a commit, list changes, extract files and build them.

Of the folder of a build only the Python environments are kept, as bots may use their interpreters.
They are not stored in a database, and cannot be moved.
"""

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from db.records.launch import Launch, Origin
from engine.cache import cache_root
from ladder.errors import UsageError
from ladder.registry.specs.archive import remove_tree
from ladder.registry.specs.folder_files import is_environment
from ladder.registry.specs.start_command import environment_without_secrets
from ladder.signals import current_stop

BUILD_S = 1800.0
"""How long a build may take."""
NOT_FOUND = 127
"""The exit code of a shell that finds no program of that name."""
SHOWN_LINES = 40
"""Last lines shown of a failed build."""
BUILDS = "builds"
"""The folder of all builds in the cache."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of a repository."""

    commit: str
    """Its hash, 40 hex digits or more."""
    parents: tuple[str, ...]
    """Hashes, the first parent first."""
    subject: str
    """The first line of its message."""
    tree: str = ""
    """The hash of its files alone: equal for two commits with the same files."""
    time: float = 0.0
    """Its time, in seconds since the epoch."""


class GitTree(NamedTuple):
    """The files of a revision after its build."""

    root: Path
    """The top folder of the files."""
    repository: Path
    """The top folder of the working tree."""
    origin: Origin


def find_repository(folder: Path, option: str | None = "git") -> Path:
    """Return the top folder of the repository around a folder.

    Args:
        folder: a folder in the repository.
        option: the option that an error names, or None.

    Raises:
        UsageError: there is no repository, git cannot read it, or git is not installed.

    """
    done = _git(folder, "rev-parse", "--show-toplevel")
    if done.returncode != 0:
        why = _error_line(done)
        reason = "" if "not a git repository" in why else f" ({why})"
        raise UsageError(
            f"{folder} is not in a git repository{reason}: run the command in the repository that "
            "holds the bot",
            option=option,
        )
    return Path(done.stdout.removesuffix("\n"))


def resolve_commit(repository: Path, revision: str, option: str = "git") -> Commit:
    """Return the commit of a branch, a tag or a commit's name.

    Args:
        repository: its top folder.
        revision: the name.
        option: the option that an error names.

    Raises:
        UsageError: the repository has no such revision.

    """
    # Git would take a word that begins with a dash for an option.
    commit = "" if revision.startswith("-") else _resolve(repository, f"{revision}^{{commit}}")
    if not commit:
        raise UsageError(
            f"{repository} has no revision {revision!r}: name a branch, a tag or a commit, such as "
            "main, origin/main or HEAD~1, and fetch it first if it is not here yet",
            option=option,
        )
    return _log(repository, "--max-count=1", commit)[0]


def common_ancestor(repository: Path, one: str, other: str) -> str:
    """Return the hash of the best common ancestor of two commits, or "" without one."""
    return _git(repository, "merge-base", one, other).stdout.strip()


def commits_between(repository: Path, after: str, last: str, *, first_parent: bool) -> list[Commit]:
    """Return the ancestors of `last`, itself included, that are not ancestors of `after`.

    Args:
        repository: its top folder.
        after: hash of a commit.
        last: hash of a commit, the last one of the result.
        first_parent: follow only the first parent of a merge.

    Returns:
        The commits, parents before their children.

    Raises:
        UsageError: git fails.

    """
    words = ["--first-parent"] if first_parent else []
    return _log(repository, "--topo-order", "--reverse", *words, f"{after}..{last}")


def first_parents(repository: Path, last: Commit, most: int) -> list[Commit]:
    """Return the newest commits of a branch along first parents, oldest first.

    Raises:
        UsageError: git fails.

    """
    return _log(repository, "--first-parent", "--reverse", f"--max-count={most}", last.commit)


def tags_of(repository: Path, last: Commit) -> dict[str, str]:
    """Return the tags of a commit's ancestors, itself included, by the hash of their commit."""
    form = "--format=%(objectname) %(*objectname) %(refname:short)"
    merged = f"--merged={last.commit}"
    found = _git(repository, "for-each-ref", merged, "--sort=creatordate", form, "refs/tags")
    lines = (line.split(" ", 2) for line in found.stdout.splitlines())
    return {peeled or commit: name for commit, peeled, name in lines}


def is_shallow(repository: Path) -> bool:
    """Return whether a clone lacks the beginning of its history."""
    done = _git(repository, "rev-parse", "--is-shallow-repository")
    return done.stdout.strip() == "true"


def has_uncommitted(repository: Path, commit: Commit) -> bool:
    """Return whether a commit is checked out and its files were changed since."""
    if _resolve(repository, "HEAD^{commit}") != commit.commit:
        return False
    # Untracked files do not count: the database itself may be one of them.
    return bool(_git(repository, "status", "--porcelain", "--untracked-files=no").stdout)


def extract(repository: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into an empty folder.

    Raises:
        UsageError: git or the file system fails.

    """
    # The folder is the working tree, so that uncommitted attributes convert no file.
    top = _git(repository, "rev-parse", "--absolute-git-dir").stdout.removesuffix("\n")
    variables = {"GIT_DIR": top, "GIT_WORK_TREE": str(folder)}
    with tempfile.TemporaryDirectory() as place:
        for words in (["read-tree", commit], ["checkout-index", "--all"]):
            done = _git(folder, *words, **variables, GIT_INDEX_FILE=f"{place}/index")
            if done.returncode != 0:
                problem = f"the files of {commit[:12]} cannot be extracted: {_error_line(done)}"
                raise UsageError(problem, option="git")


def _log(repository: Path, *words: str) -> list[Commit]:
    form = "--format=%H%n%P%n%T%n%ct%n%s"
    done = _git(repository, "log", "--no-show-signature", "-z", form, *words)
    if done.returncode != 0:
        raise UsageError(f"the history of {repository} cannot be read: {_error_line(done)}")
    found = []
    for entry in filter(None, done.stdout.split("\0")):
        commit, parents, tree, time, subject = entry.removesuffix("\n").split("\n", 4)
        found.append(Commit(commit, tuple(parents.split()), subject, tree, float(time)))
    return found


def _resolve(repository: Path, name: str) -> str:
    return _git(repository, "rev-parse", "--verify", "--quiet", name).stdout.strip()


def _git(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *words],
            cwd=folder,
            env={**os.environ, **variables},
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise UsageError("there is no program git on PATH: install git first") from error


def _error_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"git exited with {done.returncode}"


@contextlib.contextmanager
def built_tree(repository: Path, origin: Origin) -> Iterator[GitTree]:
    """Yield the files of a commit after the build; then keep only environments.

    Raises:
        UsageError: the files cannot be extracted, or the build failed.

    """
    builds = cache_root() / BUILDS
    builds.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f"{origin.commit[:12]}-", dir=builds))
    root = place / "files"
    try:
        root.mkdir()
        extract(repository, origin.commit, root)
        if not (root / origin.inner).is_dir():
            problem = f"there is no folder {origin.inner} in {repository} at {origin.revision}"
            raise UsageError(problem, option="git")
        if origin.build:
            _run_build(origin.build, root / origin.inner)
        yield GitTree(root.resolve(), repository, origin)
    except BaseException:
        remove_tree(place)
        raise
    _remove_apart_from_environments(place)


def remove_builds(gone: Iterable[Launch], kept: Iterable[Launch] = ()) -> None:
    """Remove the environments that bots use which are gone, and none that are kept."""
    for place in _builds_of(gone) - _builds_of(kept):
        remove_tree(place)


def _builds_of(launches: Iterable[Launch]) -> set[Path]:
    """Return the folders of builds that hold programs of launches."""
    builds = (cache_root() / BUILDS).resolve()
    programs = [Path(each or "") for launch in launches for each in (launch.python, launch.program)]
    return {
        builds / program.relative_to(builds).parts[0]
        for program in programs
        if program.is_relative_to(builds)
    }


def _remove_apart_from_environments(folder: Path) -> None:
    if not any(is_environment(Path(place)) for place, _, _ in os.walk(folder)):
        remove_tree(folder)
    elif not is_environment(folder):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                _remove_apart_from_environments(path)
            else:
                path.unlink()


def _run_build(command: str, folder: Path) -> None:
    """Run a build command, and kill the processes that it leaves behind.

    Args:
        command: what `sh -c` runs.
        folder: the working directory.

    Raises:
        UsageError: it failed or took too long; with its last lines.

    """
    if not command.strip():
        raise UsageError("the command is empty: write one such as 'make -s'", option="build")
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            ["sh", "-c", command],
            cwd=folder,
            env=environment_without_secrets(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = current_stop().wait_child(process, BUILD_S)
            ended = f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            code, ended = -1, f"took longer than {BUILD_S:.0f} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code != 0:
            first = command.split()[0]
            is_near = code == NOT_FOUND and (folder / first).is_file()
            remedy = f"did you mean ./{first}? " if is_near else ""
            problem = f"`{command}` {ended}; {remedy}{_last_lines(output.fileno())}"
            raise UsageError(problem, option="build")


def _last_lines(file: int) -> str:
    size = os.fstat(file).st_size
    tail = os.pread(file, 16384, max(0, size - 16384)).decode("utf-8", "replace")
    lines = tail.rstrip().splitlines()[-SHOWN_LINES:]
    return "its last lines:\n" + "\n".join(lines) if lines else "it printed nothing"
