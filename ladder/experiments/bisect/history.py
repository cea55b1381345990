"""The commits between a good and a bad revision, and which of them holds which."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ladder.errors import UsageError
from ladder.experiments.bisect.posterior import BoolArray
from ladder.match.specs.git import (
    Commit,
    LoggedCommit,
    commits_between,
    common_ancestor,
    resolve_commit,
    subject_of,
)
from ladder.match.specs.git_spec import find_spec_repository

MOST_COMMITS = 5000
"""Commits of a history; their holding of each other is a table of so many squared."""
SHORT = 10
"""Digits of a hash that people are shown."""


@dataclass(frozen=True, slots=True)
class History:
    """The commits that may be to blame, parents before their children."""

    repository: Path
    good: LoggedCommit
    commits: tuple[LoggedCommit, ...]
    """The last one is the bad one."""
    holds: BoolArray
    """Shape (n, n): whether commit i has commit k in its history, itself included."""

    @property
    def bad(self) -> LoggedCommit:
        """The revision that is known to be worse."""
        return self.commits[-1]

    def revision(self, commit: LoggedCommit) -> Commit:
        """A commit with the hash of its files. Raises UsageError."""
        return resolve_commit(self.repository, commit.commit)


def read_history(spec: str, folder: Path, *, good: str, bad: str, first_parent: bool) -> History:
    """The history from a good revision to a bad one.

    Args:
        spec: of the bot; that of a built-in player means this project's own repository.
        folder: where the specification was written.
        good: the name of a branch, a tag or a commit.
        bad: the name of one that holds it.
        first_parent: follow only the first parent of a merge.

    Raises:
        UsageError: there is no such repository, revision or history between the two.

    """
    repository = find_spec_repository(spec, folder, option=None)
    first = resolve_commit(repository, good, "good").commit
    last = resolve_commit(repository, bad, "bad").commit
    if first == last:
        raise UsageError(
            f"--good {good} and --bad {bad} are the same commit, {first[:SHORT]}: name an older "
            "one that is known to be good"
        )
    common = common_ancestor(repository, first, last)
    if common == last:
        raise UsageError(f"--bad {bad} is older than --good {good}: name them the other way round")
    if common != first:
        remedy = f"such as {common[:SHORT]}" if common else "and they have none in common"
        raise UsageError(
            f"--good {good} is no ancestor of --bad {bad}: name a commit that --bad came from, "
            f"{remedy}"
        )
    commits = commits_between(repository, first, last, first_parent=first_parent)
    if len(commits) > MOST_COMMITS:
        raise UsageError(
            f"there are {len(commits)} commits between --good and --bad, and at most "
            f"{MOST_COMMITS} can be searched: name nearer ones, or leave out --all"
        )
    chosen = LoggedCommit(first, (), subject_of(repository, first))
    return History(repository, chosen, tuple(commits), _holds(commits, first_parent))


def _holds(commits: Sequence[LoggedCommit], first_parent: bool) -> BoolArray:
    size = len(commits)
    if first_parent:
        return np.tril(np.ones((size, size), dtype=bool))
    holds = np.eye(size, dtype=bool)
    places = {commit.commit: place for place, commit in enumerate(commits)}
    for place, commit in enumerate(commits):
        for parent in commit.parents:
            if parent in places:
                holds[place] |= holds[places[parent]]
    return holds
