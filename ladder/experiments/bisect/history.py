"""The commits between a good and a bad revision, and their ancestry."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ladder.errors import UsageError
from ladder.match.specs.git import (
    Commit,
    LoggedCommit,
    commits_between,
    common_ancestor,
    resolve_commit,
    subject_of,
)
from ladder.match.specs.source import find_spec_repository

BoolArray = NDArray[np.bool_]
MOST_COMMITS = 5000
"""Most commits of a history, because the table of ancestry grows with their square."""
SHORT = 10
"""Digits of a hash in messages."""


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """The commits that may be to blame."""

    repository: Path
    good: LoggedCommit
    commits: tuple[LoggedCommit, ...]
    """The commits, parents before children; the last one is the bad one."""
    holds: BoolArray
    """Shape (n, n): whether commit i contains commit k, itself included."""

    @property
    def bad(self) -> LoggedCommit:
        """The revision that is known to be worse."""
        return self.commits[-1]

    def revision(self, commit: LoggedCommit) -> Commit:
        """Return a commit with the hash of its files. Raises UsageError."""
        return resolve_commit(self.repository, commit.commit)


def read_history(
    spec: str, folder: Path, *, good: str, bad: str, first_parent: bool
) -> CommitHistory:
    """Return the history from a good revision to a bad one.

    Args:
        spec: The specification of the bot; a built-in player means this project's repository.
        folder: The folder in which the specification was written.
        good: A branch, tag or commit.
        bad: A branch, tag or commit that contains `good`.
        first_parent: Whether to follow only the first parent of a merge.

    Raises:
        UsageError: the repository or a revision is missing, or `bad` does not contain `good`.

    """
    repository = find_spec_repository(spec, folder, option=None)
    first = resolve_commit(repository, good, "good").commit
    last = resolve_commit(repository, bad, "bad").commit
    if first == last:
        raise UsageError(
            f"{good} and the bad revision {bad} are the same commit, {first[:SHORT]}: name an "
            "older one that is known to be good",
            option="good",
        )
    common = common_ancestor(repository, first, last)
    if common == last:
        raise UsageError(
            f"{bad} is older than the good revision {good}: swap the two", option="bad"
        )
    if common != first:
        remedy = f"such as {common[:SHORT]}" if common else "but they have none in common"
        raise UsageError(
            f"{good} is not an ancestor of the bad revision {bad}: name one of its ancestors, "
            f"{remedy}",
            option="good",
        )
    commits = commits_between(repository, first, last, first_parent=first_parent)
    if len(commits) > MOST_COMMITS:
        raise UsageError(
            f"there are {len(commits)} commits between {good} and {bad}, and at most "
            f"{MOST_COMMITS} can be searched: name revisions that are closer, or follow first "
            "parents only"
        )
    chosen = LoggedCommit(first, (), subject_of(repository, first))
    return CommitHistory(repository, chosen, tuple(commits), _holds(commits, first_parent))


def _holds(commits: Sequence[LoggedCommit], first_parent: bool) -> BoolArray:
    size = len(commits)
    if first_parent:
        return np.tril(np.ones((size, size), dtype=bool))
    holds = np.eye(size, dtype=bool)
    indices = {commit.commit: index for index, commit in enumerate(commits)}
    for index, commit in enumerate(commits):
        for parent in commit.parents:
            if parent in indices:
                holds[index] |= holds[indices[parent]]
    return holds
