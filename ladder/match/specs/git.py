"""Calls of git: find a repository, resolve a commit, list changes, extract files."""

import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import UsageError


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of a repository."""

    commit: str
    """Its hash, 40 hex digits or more."""
    tree: str
    """The hash of its files alone: equal for two commits with the same files."""
    time: float
    """Its time, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit in the log of a range."""

    commit: str
    """Its hash."""
    parents: tuple[str, ...]
    """Hashes, the first parent first; parents may be outside of the range."""
    subject: str
    """The first line of its message."""


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
    time = _git(repository, "show", "--no-patch", "--format=%ct", commit).stdout.split()[-1]
    return Commit(commit, _resolve(repository, f"{commit}^{{tree}}"), float(time))


def subject_of(repository: Path, commit: str) -> str:
    """Return the first line of a commit's message."""
    shown = _git(repository, "show", "--no-patch", "--format=%s", commit).stdout
    return _escape(shown.strip("\n"))


def common_ancestor(repository: Path, one: str, other: str) -> str:
    """Return the hash of the best common ancestor of two commits, or "" without one."""
    return _git(repository, "merge-base", one, other).stdout.strip()


def commits_between(
    repository: Path, after: str, last: str, *, first_parent: bool
) -> list[LoggedCommit]:
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
    done = _git(
        repository, "log", "--topo-order", "--reverse", *words, "-z", "--format=%H%n%P%n%s",
        f"{after}..{last}",
    )  # fmt: skip
    if done.returncode != 0:
        raise UsageError(f"the history of {repository} cannot be read: {_error_line(done)}")
    found = []
    for entry in done.stdout.split("\0"):
        if entry:
            commit, parents, subject = entry.removesuffix("\n").split("\n", 2)
            found.append(LoggedCommit(commit, tuple(parents.split()), _escape(subject)))
    return found


def has_uncommitted(repository: Path, commit: Commit) -> bool:
    """Return whether a commit is checked out and its files were changed since."""
    if _resolve(repository, "HEAD^{commit}") != commit.commit:
        return False
    # Untracked files do not count: the database itself may be one of them.
    return bool(_git(repository, "status", "--porcelain", "--untracked-files=no").stdout)


def extract(repository: Path, commit: str, folder: Path) -> None:
    """Extract the files of a commit, as from `git archive`, into an empty folder.

    Raises:
        UsageError: git or the file system fails.

    """
    command = ["git", "archive", "--format=tar", commit]
    with subprocess.Popen(
        command,
        cwd=repository,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as git:
        try:
            with tarfile.open(fileobj=git.stdout, mode="r|") as archive:
                # Python before 3.11.4 has no filters; the archive is from the user's repository.
                trust = getattr(tarfile, "fully_trusted_filter", None)
                archive.extraction_filter = getattr(tarfile, "data_filter", trust)
                archive.extractall(folder)  # noqa: S202 - filtered by the line before
            if git.stdout is not None:
                git.stdout.read()  # the padding at the end, or git fails with a closed pipe
        except (tarfile.TarError, OSError) as error:
            git.kill()
            problem = f"the files of {commit[:12]} cannot be extracted: {error}"
            raise UsageError(problem, option="git") from error
    if git.returncode != 0:
        raise UsageError(
            f"`{' '.join(command)}` failed in {repository}: run it there to see why", option="git"
        )


def _escape(text: str) -> str:
    """Return a message with an escape sequence for each byte that is not UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _resolve(repository: Path, name: str) -> str:
    return _git(repository, "rev-parse", "--verify", "--quiet", name).stdout.strip()


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", *words],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise UsageError("there is no program git on PATH: install git first") from error


def _error_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"git exited with {done.returncode}"
