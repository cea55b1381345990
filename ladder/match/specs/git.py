"""Questions to git: the repository of a folder, a commit, uncommitted changes, its files."""

import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import UsageError


@dataclass(frozen=True, slots=True)
class Commit:
    """A revision of a repository, resolved."""

    commit: str
    """The commit's hash, 40 hex digits or more."""
    tree: str
    """The hash of its files alone: equal for two commits with the same files."""
    time: float
    """Of the commit, seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit as the log of a range tells it."""

    commit: str
    """The hash."""
    parents: tuple[str, ...]
    """Hashes, the first parent first; some may lie outside of the range."""
    subject: str
    """The first line of its message."""


def repository_of(folder: Path, option: str = "--git") -> Path:
    """The top folder of the repository around a folder; `option` is named in a refusal.

    Raises:
        UsageError: there is none, git cannot read it, or git is not installed.

    """
    done = _git(folder, "rev-parse", "--show-toplevel")
    if done.returncode != 0:
        raise UsageError(
            f"{option}: {folder} lies in no git repository ({_complaint(done)}): run the command "
            "in the repository that holds the bot"
        )
    return Path(done.stdout.removesuffix("\n"))


def commit_of(repository: Path, revision: str, option: str = "--git") -> Commit:
    """The commit that a branch, a tag or a commit's name stands for now.

    Args:
        repository: its top folder.
        revision: the name.
        option: named in a refusal.

    Raises:
        UsageError: the repository has no such revision.

    """
    # A word that begins with a dash would be an option of git, and is no revision's name.
    commit = "" if revision.startswith("-") else _resolve(repository, f"{revision}^{{commit}}")
    if not commit:
        raise UsageError(
            f"{option}: {repository} has no revision {revision!r}: name a branch, a tag or a "
            "commit, such as main, origin/main or HEAD~1, and fetch it first when it is not "
            "here yet"
        )
    time = _git(repository, "show", "--no-patch", "--format=%ct", commit).stdout.split()[-1]
    return Commit(commit, _resolve(repository, f"{commit}^{{tree}}"), float(time))


def subject_of(repository: Path, commit: str) -> str:
    """The first line of a commit's message."""
    shown = _git(repository, "show", "--no-patch", "--format=%s", commit).stdout
    return _decoded(shown.strip("\n"))


def common_ancestor(repository: Path, one: str, other: str) -> str:
    """The hash of the best common ancestor of two commits, "" when there is none."""
    return _git(repository, "merge-base", one, other).stdout.strip()


def commits_between(
    repository: Path, after: str, last: str, *, first_parent: bool
) -> list[LoggedCommit]:
    """The commits that `last` holds and `after` does not, parents before their children.

    Args:
        repository: its top folder.
        after: a commit's hash.
        last: a commit's hash, that of the last entry.
        first_parent: follow only the first parent of a merge.

    Raises:
        UsageError: git refuses.

    """
    words = ["--first-parent"] if first_parent else []
    done = _git(
        repository, "log", "--topo-order", "--reverse", *words, "-z", "--format=%H%n%P%n%s",
        f"{after}..{last}",
    )  # fmt: skip
    if done.returncode != 0:
        raise UsageError(f"the history of {repository} cannot be read: {_complaint(done)}")
    found = []
    for entry in done.stdout.split("\0"):
        if entry:
            commit, parents, subject = entry.removesuffix("\n").split("\n", 2)
            found.append(LoggedCommit(commit, tuple(parents.split()), _decoded(subject)))
    return found


def has_uncommitted(repository: Path, commit: Commit) -> bool:
    """Whether the commit is the one checked out, and its files have been changed since."""
    if _resolve(repository, "HEAD^{commit}") != commit.commit:
        return False
    # Files that git was never told about are not meant: the database itself may be one of them.
    return bool(_git(repository, "status", "--porcelain", "--untracked-files=no").stdout)


def extract(repository: Path, commit: Commit, folder: Path) -> None:
    """Write the files of a commit, as `git archive` gives them, into an empty folder.

    Raises:
        UsageError: git or the file system refuses.

    """
    command = ["git", "archive", "--format=tar", commit.commit]
    with subprocess.Popen(
        command,
        cwd=repository,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as git:
        try:
            with tarfile.open(fileobj=git.stdout, mode="r|") as archive:
                # Python before 3.11.4 knows no filters; the archive is the user's own.
                trust = getattr(tarfile, "fully_trusted_filter", None)
                archive.extraction_filter = getattr(tarfile, "data_filter", trust)
                archive.extractall(folder)  # noqa: S202 - filtered by the line before
            if git.stdout is not None:
                git.stdout.read()  # what follows the last file: git must not find a closed pipe
        except (tarfile.TarError, OSError) as error:
            git.kill()
            raise UsageError(
                f"--git: the files of {commit.commit[:12]} cannot be taken: {error}"
            ) from error
    if git.returncode != 0:
        raise UsageError(
            f"--git: `{' '.join(command)}` failed in {repository}: run it there to see why"
        )


def _decoded(text: str) -> str:
    """A message, with an escape for each byte that is no UTF-8."""
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
        raise UsageError("--git needs the program git, and there is none on PATH") from error


def _complaint(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else f"git exited with {done.returncode}"
