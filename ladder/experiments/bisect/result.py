"""The result of a bisection, and the sentence that explains it."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from db.records.record import Record
from ladder.experiments.bisect.history import SHORT
from ladder.experiments.bisect.search import SETTLED, Answer, BisectQuestion, CommitSearch
from ladder.experiments.engine import STOPPED, exit_code_of
from ladder.experiments.tally import Tally
from ladder.names import counted
from ladder.registry.specs.git import Commit
from ladder.stats.difference import Difference, Sign, difference_of


class CommitVerdict(StrEnum):
    """The finding of a search about a commit."""

    GOOD = "good"
    """The commit is as strong as the good revision."""
    BAD = "bad"
    """The commit is weaker."""
    OPEN = "open"
    """Neither is sure."""
    SKIPPED = "skipped"
    """The commit cannot be tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCommit:
    """A commit that the search visited."""

    commit: Commit
    verdict: CommitVerdict
    reason: str
    """The reason why it was skipped; empty otherwise."""
    record: Record
    """Counted pairs against the good revision."""
    difference: Difference
    """By these pairs."""
    weaker: float
    """Chance that it is worse than the good revision by the smallest drop, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectResult:
    """The answer of a bisection."""

    question: BisectQuestion
    answer: Answer | None
    """The answer; None if the search was stopped before."""
    reason: str
    good: Commit
    bad: Commit
    commits: int
    """Number of commits in the history, without the good revision."""
    suspects: tuple[Commit, ...]
    """The culprit, or the commits that cannot be distinguished from it; if none was found, the
    likeliest one."""
    chance: float
    """Chance that the suspects include the culprit, 0..1."""
    drop: Difference | None
    """The tested commits that contain the culprit, against the good revision; None if
    no such commit was tested."""
    tried: tuple[TriedCommit, ...]
    """The visited commits in the order of the history."""
    games: int
    """Counted games over all commits."""
    conditions: str
    """The label of the division."""
    seed: int

    @property
    def culprit(self) -> Commit | None:
        """The commit to blame; None if it was not found."""
        return self.suspects[0] if self.answer is Answer.FOUND else None

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return exit_code_of(self.answer or STOPPED)


def result_of(search: CommitSearch, *, conditions: str, seed: int) -> BisectResult:
    """Return the present result of a search."""
    history, after = search.history, search.posterior
    indices = search.suspects or (int(after.blamed.argmax()),)
    suspects = tuple(history.commits[index] for index in indices)
    drop = None
    if search.answer in (Answer.FOUND, Answer.AMBIGUOUS):
        holding = [
            tested.tally.counted.evidence
            for index, tested in search.tested.items()
            if index not in search.skipped and history.holds[index, list(indices)].all()
        ]
        drop = difference_of(np.sum(holding, axis=0)) if holding else None
    chance = float(after.blamed[list(indices)].sum())
    return BisectResult(
        question=search.question,
        answer=search.answer,
        reason=_sentence(search, suspects, chance),
        good=history.good,
        bad=history.bad,
        commits=len(history.commits),
        suspects=suspects,
        chance=chance,
        drop=drop,
        tried=tuple(_tried(search, index) for index in sorted({*search.tested, *search.skipped})),
        games=search.games,
        conditions=conditions,
        seed=seed,
    )


def _tried(search: CommitSearch, index: int) -> TriedCommit:
    tested = search.tested.get(index)
    weaker = float(search.posterior.weaker[index])
    verdict = CommitVerdict.OPEN
    if index in search.skipped:
        verdict = CommitVerdict.SKIPPED
    elif weaker > 1.0 - SETTLED:
        verdict = CommitVerdict.BAD
    elif weaker < SETTLED:
        verdict = CommitVerdict.GOOD
    tally = Tally() if tested is None else tested.tally
    return TriedCommit(
        commit=search.history.commits[index],
        verdict=verdict,
        reason=search.skipped.get(index, ""),
        record=tally.counted,
        difference=difference_of(tally.counted.evidence),
        weaker=weaker,
    )


def _smaller_loss(search: CommitSearch) -> str:
    """Return how to look for a certain loss that is smaller than the drop, if there is one."""
    tested = search.tested.get(len(search.history.commits) - 1)
    found = Difference() if tested is None else difference_of(tested.tally.counted.evidence)
    if found.verdict is not Sign.WEAKER or found.high is None:
        return ""
    smallest = max(1, int(-found.high))
    return (
        f"; it is weaker all the same, by {found.words()} Elo: --max-drop {smallest} looks for that"
    )


def _sentence(search: CommitSearch, suspects: tuple[Commit, ...], chance: float) -> str:
    """Return the answer as a sentence, without the size of the drop."""
    question, history = search.question, search.history
    games, asked = counted(search.games, "game"), f"{question.max_drop:g} Elo or more"
    good, bad = history.good.commit[:SHORT], history.bad.commit[:SHORT]
    if search.answer is Answer.FOUND:
        return f"{suspects[0].commit[:SHORT]} lost rating ({chance:.1%} sure after {games})"
    if search.answer is Answer.NONE:
        return f"{bad} is not worse than {good} by {asked} ({games}){_smaller_loss(search)}"
    if search.answer is Answer.AMBIGUOUS:
        names = ", ".join(commit.commit[:SHORT] for commit in suspects)
        return (
            f"one of {names} lost rating ({chance:.1%} sure after {games}); only the last of them "
            "can be tested, so they cannot be distinguished"
        )
    seems = f"most likely is {suspects[0].commit[:SHORT]}, with a chance of {chance:.0%}"
    if search.answer is None:
        return f"stopped after {games}: the same command resumes it; so far {seems}"
    if search.games + 2 > question.max_games:
        return f"no answer after {games}, the most that are allowed: {seems}"
    return (
        f"no answer after {games}: the games repeat, and further pairs would hardly give new ones; "
        f"ask for longer openings or other boards; {seems}"
    )
