"""The search of a bisection: it takes pairs of commits, and chooses the next commit and the end.

It is a pure function of each commit's stream of pairs. The next pair of a commit is taken while the
search visits the commit, no matter whether it was played now, beyond the end of an earlier visit or
before an interruption. So a resumed search repeats its course on the stored pairs, and under a work
budget the same seed gives the same answer with any number of workers.

The posterior over the commits is the chance of each that it lost rating.

Hypotheses: either no commit lost rating, or one did by one of several drops. Then every commit that
contains it is weaker than the good one by the drop, and all others are equal to it. The evidence of
a commit's pairs is their likelihood ratio (`ladder.stats.evidence`). The choice of the next
commit and the length of a visit do not bias the posterior, so they may depend on all results so far
(Horstein 1963; Waeber, Frazier and Henderson 2013, probabilistic bisection). The drop is unknown,
too: a large one is recognized on the first commits, which makes the later ones cheap.

Error rates: let P be the probability of a right answer, such as 0.95. The allowed error 1 - P is
split into three parts. "No commit is to blame" is answered when, with the smallest drop as the only
alternative, that alternative has a chance of at most (1 - P) / 3. A commit is blamed when, given
that one is to blame, all others together have at most (1 - P) / 3, and "none" at most 1 - P. The
last third covers the likelihood ratio, which uses the likeliest shares of results instead of the
true ones. For culprits that are equally likely in advance, an answer is then wrong with a chance of
at most 1 - P, whatever was played and whenever the search stopped. docs/results/bisections.md
compares this with simulated histories.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from db.records.pairs import PlayedPair
from ladder.experiments.bisect.history import BoolArray, CommitHistory
from ladder.experiments.gate.question import check_confidence, check_elo
from ladder.experiments.tally import ForfeitCount, Tally
from ladder.stats.counts import FloatArray
from ladder.stats.evidence import drop_evidence
from ladder.stats.sprt import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectQuestion:
    """The numbers of a bisection.

    Raises:
        UsageError: one is out of range.

    """

    max_drop: float = 20.0
    """Smallest drop to find, in Elo of the model."""
    confidence: float = 0.95
    """Chance that the answer is right, 0..1."""
    max_games: int = 20_000
    """Games over all commits after which the search ends without an answer."""
    model: Model = Model.LOGISTIC
    """The scale of `max_drop`."""

    def __post_init__(self) -> None:
        check_elo(self.max_drop, "max_drop")
        check_confidence(self.confidence)


IntArray = NDArray[np.int64]

MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""The drops of the hypotheses, in units of the smallest one."""
GREATEST_DROP = 800.0
"""Largest drop of the hypotheses in Elo; greater ones are found as quickly."""

SHARE = 1.0 / 3.0
"""The part of the allowed error for each of the two kinds of wrong answers."""


def possible_drops(max_drop: float) -> tuple[float, ...]:
    """Return the drops of the hypotheses in Elo, the smallest first."""
    return tuple(
        max_drop * times for times in MULTIPLES if times == 1.0 or max_drop * times <= GREATEST_DROP
    )


@dataclass(frozen=True, slots=True)
class Posterior:
    """Chances after all pairs, 0..1. Leading axes are separate searches."""

    blamed: FloatArray
    """Chance of each commit that it lost rating, shape (..., n)."""
    none: FloatArray
    """Chance that no commit lost rating, shape (...)."""
    none_or_least: FloatArray
    """The same if the smallest drop were the only alternative, shape (...)."""
    weaker: FloatArray
    """Chance of each commit that it is weaker than the good one, shape (..., n)."""

    def is_none_sure(self, probability: float) -> BoolArray:
        """Return whether the answer is that no commit lost rating, shape (...)."""
        return np.asarray(self.none_or_least >= 1.0 - SHARE * (1.0 - probability))

    def sure_groups(self, probability: float, groups: IntArray) -> BoolArray:
        """Return for each group of commits whether it surely contains the one to blame.

        Args:
            probability: The probability of a right answer.
            groups: The number of each commit's group, shape (n,).

        Returns:
            Shape (..., number of groups).

        """
        member = groups[:, None] == np.arange(groups.max() + 1)
        given_one = (self.blamed @ member) / np.maximum(1.0 - self.none, 1e-300)[..., None]
        sure = given_one >= 1.0 - SHARE * (1.0 - probability)
        return np.asarray(sure & (self.none <= 1.0 - probability)[..., None])


def posterior_of(holds: BoolArray, evidence: FloatArray) -> Posterior:
    """Return the posterior from the evidence of all commits.

    The prior is a third each for no drop, the smallest drop, and the greater ones together.

    Args:
        holds: Whether commit i contains commit k, itself included, shape (n, n).
        evidence: The log-likelihood ratio of each commit's pairs for each drop, shape (..., n, m);
            0 without pairs.

    """
    commits, drops = holds.shape[0], evidence.shape[-1]
    weights = np.matmul(np.swapaxes(holds, 0, 1).astype(np.float64), evidence) - math.log(commits)
    weights[..., 1:] -= math.log(max(drops - 1, 1))
    most = np.maximum(weights.max(axis=(-1, -2)), 0.0)
    each = np.exp(weights - most[..., None, None])
    likely, none = each.sum(axis=-1), np.exp(-most)
    total = likely.sum(axis=-1) + none
    blamed = likely / total[..., None]
    return Posterior(
        blamed=blamed,
        none=none / total,
        none_or_least=none / (none + each[..., 0].sum(axis=-1)),
        weaker=blamed @ holds.T.astype(np.float64),
    )


def most_open(weaker: FloatArray, testable: BoolArray) -> IntArray:
    """Return the first testable commit whose chance to be weaker is closest to one half.

    Shape (..., n) -> (...).
    """
    distance = np.where(testable, np.abs(weaker - 0.5), np.inf)
    return np.asarray(distance.argmin(axis=-1))


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
        return sum(each.tally.record.games for each in self.tested.values())

    @property
    def credible_set_size(self) -> int:
        """Size of the smallest set that includes the culprit with probability `confidence`."""
        blamed = np.sort(self.posterior.blamed)[::-1].cumsum()
        enough = self.question.confidence * (1.0 - float(self.posterior.none))
        return min(int(np.searchsorted(blamed, enough)) + 1, len(blamed))

    @property
    def is_over(self) -> bool:
        """Whether the search has ended, with or without an answer."""
        return self.answer is not None or bool(self.failing_good)

    def enter(self, name: str, good: str) -> None:
        """Begin the tally of the current commit, with the names of its bot and the good one."""
        if self.index not in self.tested:
            self.tested[self.index] = Tested(Tally(), ForfeitCount((name, good)))

    def is_new(self, pair: PlayedPair) -> bool:
        """Return whether a pair of the current commit was not taken yet."""
        return pair.number > self.tested[self.index].last

    def take(self, pair: PlayedPair, name: str, good: str) -> None:
        """Take the next pair of the current commit, after which the search may leave it."""
        tested = self.tested[self.index]
        tested.last = pair.number
        tested.tally.count(pair)
        tested.forfeits.add((name, good), pair)
        failures = tested.forfeits.failures
        if name in failures:
            self.skip(failures[name])
        elif good in failures:
            self.failing_good = failures[good]
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
        every, distinct = (
            drop_evidence(counts=each.pentanomial, drops=self._drops, model=model)
            for each in (tally.record, tally.distinct)
        )
        agreed = np.minimum(np.abs(every), np.abs(distinct))
        return np.asarray(np.where(np.sign(every) == np.sign(distinct), np.sign(every), 0) * agreed)

    def _regroup(self) -> None:
        """Put commits into one group that are contained in the same testable commits."""
        rows = [index for index in range(len(self.history.commits)) if index not in self.skipped]
        columns = self.history.holds[rows].T
        self._groups = np.asarray(np.unique(columns, axis=0, return_inverse=True)[1]).reshape(-1)
