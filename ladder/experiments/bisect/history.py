"""The commits between a good and a bad revision, and their ancestry."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.errors import UsageError
from ladder.registry.specs.git import Commit, commits_between, common_ancestor, resolve_commit
from ladder.registry.specs.spec import BotSource, find_spec_repository

BoolArray = NDArray[np.bool_]
MOST_COMMITS = 5000
"""Most commits of a history, because the table of ancestry grows with their square."""
SHORT = 10
"""Digits of a hash in messages."""


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """The commits that may be to blame."""

    good: Commit
    commits: tuple[Commit, ...]
    """The commits, parents before children; the last one is the bad one."""
    holds: BoolArray
    """Shape (n, n): whether commit i contains commit k, itself included."""

    @property
    def bad(self) -> Commit:
        """The revision that is known to be worse."""
        return self.commits[-1]


def read_history(source: BotSource, *, good: str, bad: str, first_parent: bool) -> CommitHistory:
    """Return the history from a good revision to a bad one.

    Args:
        source: The bot; a built-in player means this project's repository.
        good: A branch, tag or commit.
        bad: A branch, tag or commit that contains `good`.
        first_parent: Whether to follow only the first parent of a merge.

    Raises:
        UsageError: the repository or a revision is missing, or `bad` does not contain `good`.

    """
    repository = find_spec_repository(source)
    chosen = resolve_commit(repository, good, "good")
    first, last = chosen.commit, resolve_commit(repository, bad, "bad").commit
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
    return CommitHistory(chosen, tuple(commits), _holds(commits, first_parent))


def _holds(commits: Sequence[Commit], first_parent: bool) -> BoolArray:
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
