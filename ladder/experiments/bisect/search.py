"""The search of a bisection: it takes pairs of commits, and chooses the next commit and the end.

It is a pure function of each commit's stream of pairs. The next pair of a commit is taken while the
search visits the commit, no matter whether it was played now, beyond the end of an earlier visit or
before an interruption. So a resumed search repeats its course on the stored pairs, and under a work
budget the same seed gives the same answer with any number of workers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from db.records.pairs import PlayedPair
from ladder.experiments.bisect.history import CommitHistory
from ladder.experiments.bisect.posterior import (
    BoolArray,
    IntArray,
    Posterior,
    most_open,
    possible_drops,
    posterior_of,
)
from ladder.experiments.bisect.question import BisectQuestion
from ladder.experiments.gate.forfeits import ForfeitCount
from ladder.experiments.gate.tally import GateBot, Tally
from ladder.stats.counts import FloatArray
from ladder.stats.drop_evidence import drop_evidence

SETTLED = 0.1
"""A visit ends when the chance that the commit is weaker, or that it is equal, is below this."""
LEAST_PAIRS = 16
"""Fewest pairs of a visit, because its start costs as much as some games."""


class Answer(StrEnum):
    """The answers of a search."""

    FOUND = "found"
    """One commit lost rating."""
    AMBIGUOUS = "ambiguous"
    """One of several commits lost rating, which cannot be tested separately."""
    NONE = "none"
    """No commit lost rating."""
    UNDECIDED = "undecided"
    """Further games would not help, or are not allowed."""


@dataclass(slots=True)
class Tested:
    """The pairs of one commit against the good one."""

    tally: Tally
    forfeits: ForfeitCount
    last: int = -1
    """The number of the last pair that was taken."""


@dataclass(slots=True)
class CommitSearch:
    """The state of a bisection."""

    history: CommitHistory
    question: BisectQuestion
    tested: dict[int, Tested] = field(default_factory=dict)
    """The tested commits by index in the history."""
    skipped: dict[int, str] = field(default_factory=dict)
    """The reasons of the commits that cannot be tested, by index."""
    failing_good: str = ""
    """The reason if the good revision fails too often."""
    index: int = -1
    """The index of the current commit; the search starts at the bad one."""
    posterior: Posterior = field(init=False)
    answer: Answer | None = None
    suspects: tuple[int, ...] = ()
    """The indices of the culprit, or of the commits that cannot be distinguished from it."""
    _drops: Sequence[float] = field(init=False)
    _evidence: FloatArray = field(init=False)
    _groups: IntArray = field(init=False)
    """The group of each commit; commits of one group cannot be distinguished."""
    _begun: int = 0
    """Pair count of the current commit when its visit began."""

    def __post_init__(self) -> None:
        size = len(self.history.commits)
        self._drops = possible_drops(self.question.max_drop)
        self._evidence = np.zeros((size, len(self._drops)))
        self.posterior = posterior_of(self.history.holds, self._evidence)
        self.index = size - 1
        self._regroup()

    @property
    def games(self) -> int:
        """Counted games of all commits."""
        return 2 * sum(sum(each.tally.pentanomial) for each in self.tested.values())

    @property
    def credible_set_size(self) -> int:
        """Size of the smallest set that includes the culprit with probability `confidence`."""
        blamed = np.sort(self.posterior.blamed)[::-1].cumsum()
        enough = self.question.confidence * (1.0 - float(self.posterior.none))
        return min(int(np.searchsorted(blamed, enough)) + 1, len(blamed))

    @property
    def expected_drop(self) -> float:
        """Posterior mean of the drop in Elo of the model, given that a commit lost rating."""
        return float(self.posterior.drops @ np.asarray(self._drops))

    @property
    def is_over(self) -> bool:
        """Whether the search has ended, with or without an answer."""
        return self.answer is not None or bool(self.failing_good)

    def enter(self, name: str, good: str) -> None:
        """Begin the tally of the current commit, with the names of its bot and the good one."""
        if self.index not in self.tested:
            bot = GateBot(good, 0, "")
            self.tested[self.index] = Tested(Tally(bot), ForfeitCount((name, good)))

    def is_new(self, pair: PlayedPair) -> bool:
        """Return whether a pair of the current commit was not taken yet."""
        return pair.number > self.tested[self.index].last

    def take(self, pair: PlayedPair, name: str, good: str) -> None:
        """Take the next pair of the current commit, after which the search may leave it."""
        tested = self.tested[self.index]
        tested.last = pair.number
        tested.tally.count(pair)
        tested.forfeits.add_pair((name, good), pair)
        failing = tested.forfeits.failing_bot
        if failing == good:
            self.failing_good = tested.forfeits.failure
        elif failing:
            self.skip(tested.forfeits.failure)
        else:
            self._update()

    def skip(self, reason: str) -> None:
        """Skip the current commit, which cannot be tested."""
        self.skipped[self.index] = reason
        self._evidence[self.index] = 0.0
        self._regroup()
        self._update()

    def _update(self) -> None:
        """Update the posterior and the answer, and choose the next commit."""
        here = self.tested.get(self.index)
        if here is not None and self.index not in self.skipped:
            self._evidence[self.index] = self._evidence_of(here.tally)
        self.posterior = posterior_of(self.history.holds, self._evidence)
        self._conclude()
        if self.answer is not None:
            return
        testable = self._testable()
        if not testable.any():
            self.answer = Answer.UNDECIDED
        elif not testable[self.index] or self._may_leave(here):
            following = int(most_open(self.posterior.weaker, testable))
            if following != self.index:
                self.index = following
                there = self.tested.get(following)
                self._begun = 0 if there is None else len(there.tally.order)

    def _conclude(self) -> None:
        confidence = self.question.confidence
        if self.posterior.is_none_sure(confidence):
            self.answer = Answer.NONE
            return
        sure = self.posterior.sure_groups(confidence, self._groups)
        if sure.any():
            blamed = np.flatnonzero(self._groups == sure.argmax())
            self.suspects = tuple(int(index) for index in blamed)
            self.answer = Answer.FOUND if len(self.suspects) == 1 else Answer.AMBIGUOUS
        elif self.games + 2 > self.question.max_games:
            self.answer = Answer.UNDECIDED

    def _may_leave(self, here: Tested | None) -> bool:
        """Return whether the search may leave the current commit."""
        if here is None or len(here.tally.order) - self._begun < LEAST_PAIRS:
            return False
        chance = float(self.posterior.weaker[self.index])
        return min(chance, 1.0 - chance) < SETTLED

    def _testable(self) -> BoolArray:
        testable = np.ones(len(self.history.commits), dtype=bool)
        testable[list(self.skipped)] = False
        for index, tested in self.tested.items():
            testable[index] &= not tested.tally.is_exhausted
        return testable

    def _evidence_of(self, tally: Tally) -> FloatArray:
        """Return the weaker evidence of all pairs and the distinct ones; 0 if they disagree."""
        model = self.question.model
        every = drop_evidence(counts=tally.pentanomial, drops=self._drops, model=model)
        if tally.distinct == tally.pentanomial:
            return every
        distinct = drop_evidence(counts=tally.distinct, drops=self._drops, model=model)
        agreed = np.minimum(np.abs(every), np.abs(distinct))
        return np.asarray(np.where(np.sign(every) == np.sign(distinct), np.sign(every), 0) * agreed)

    def _regroup(self) -> None:
        """Put commits into one group that are contained in the same testable commits."""
        rows = [index for index in range(len(self.history.commits)) if index not in self.skipped]
        columns = self.history.holds[rows].T
        self._groups = np.asarray(np.unique(columns, axis=0, return_inverse=True)[1]).reshape(-1)
