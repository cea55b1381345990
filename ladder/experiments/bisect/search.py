"""The search: takes pairs of commits in order, says which commit is next, and when to end.

A pure function of each commit's stream of pairs: the next pair of a commit is taken when the search
is at that commit, whether it was played just now, beyond the need of an earlier visit, or before
the program was stopped. So a search that is begun again on stored pairs comes to where it was, and
under a work budget the same seed gives the same answer on any number of workers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from db.records.pairs import PlayedPair
from ladder.experiments.bisect.history import History
from ladder.experiments.bisect.posterior import (
    BoolArray,
    IntArray,
    Posterior,
    most_open,
    possible_drops,
    posterior_of,
)
from ladder.experiments.bisect.question import Question
from ladder.experiments.gate.forfeits import ForfeitCount
from ladder.experiments.gate.tally import GateBot, Tally
from ladder.stats.counts import FloatArray
from ladder.stats.drop_evidence import drop_evidence

STAY = 0.1
"""A commit is left for another when its chance to play weaker is below this, or to play as well."""
LEAST_PAIRS = 16
"""Pairs of a visit, at least: to begin one costs as much as some games."""


class Answer(StrEnum):
    """The end of a search."""

    FOUND = "found"
    """One commit lost the rating."""
    AMBIGUOUS = "ambiguous"
    """One of several did that cannot be told apart, since the others of them cannot be tested."""
    NONE = "none"
    """No commit did."""
    UNDECIDED = "undecided"
    """Nothing more can be learnt, or no more games are allowed."""


@dataclass(slots=True)
class Tested:
    """The pairs of one commit against the good one."""

    tally: Tally
    forfeits: ForfeitCount
    last: int = -1
    """The number of the last pair that was taken."""


@dataclass(slots=True)
class Search:
    """The state of a bisection."""

    history: History
    question: Question
    tested: dict[int, Tested] = field(default_factory=dict)
    """By place in the history."""
    skipped: dict[int, str] = field(default_factory=dict)
    """Why a commit cannot be tested, by its place."""
    failing_good: str = ""
    """Why the good revision cannot be measured against: it fails too often."""
    place: int = -1
    """The commit at which the search is; the first one is the bad one."""
    posterior: Posterior = field(init=False)
    answer: Answer | None = None
    suspects: tuple[int, ...] = ()
    """Of an answer that blames: the commit, or those that cannot be told apart."""
    _drops: Sequence[float] = field(init=False)
    _evidence: FloatArray = field(init=False)
    _groups: IntArray = field(init=False)
    """By commit: the number of its group; commits of one group cannot be told apart."""
    _begun: int = 0
    """Pairs of the commit at hand when it was turned to."""

    def __post_init__(self) -> None:
        size = len(self.history.commits)
        self._drops = possible_drops(self.question.max_drop)
        self._evidence = np.zeros((size, len(self._drops)))
        self.posterior = posterior_of(self.history.holds, self._evidence)
        self.place = size - 1
        self._regroup()

    @property
    def games(self) -> int:
        """Counted games of all commits."""
        return 2 * sum(sum(each.tally.pentanomial) for each in self.tested.values())

    @property
    def number_of_suspects(self) -> int:
        """The fewest commits that hold the one to blame with the stated probability, if one is."""
        blamed = np.sort(self.posterior.blamed)[::-1].cumsum()
        enough = self.question.confidence * (1.0 - float(self.posterior.none))
        return min(int(np.searchsorted(blamed, enough)) + 1, len(blamed))

    @property
    def expected_drop(self) -> float:
        """Mean of the drop over the posterior, in Elo of the model, if a commit lost rating."""
        return float(self.posterior.drops @ np.asarray(self._drops))

    @property
    def is_over(self) -> bool:
        """Whether there is an answer, or can be none."""
        return self.answer is not None or bool(self.failing_good)

    def enter(self, name: str, good: str) -> None:
        """The commit at hand can be played, under this name, against this bot."""
        if self.place not in self.tested:
            bot = GateBot(good, 0, "")
            self.tested[self.place] = Tested(Tally(bot), ForfeitCount((name, good)))

    def is_new(self, pair: PlayedPair) -> bool:
        """Whether a pair of the commit at hand was not taken yet."""
        return pair.number > self.tested[self.place].last

    def take(self, pair: PlayedPair, name: str, good: str) -> None:
        """Take the next pair of the commit at hand, which may turn the search to another one."""
        tested = self.tested[self.place]
        tested.last = pair.number
        tested.tally.count(pair)
        tested.forfeits.add_pair((name, good), pair)
        failing = tested.forfeits.failing
        if failing == good:
            self.failing_good = tested.forfeits.culprit
        elif failing:
            self.skip(tested.forfeits.culprit)
        else:
            self._learn()

    def skip(self, reason: str) -> None:
        """The commit at hand cannot be tested."""
        self.skipped[self.place] = reason
        self._evidence[self.place] = 0.0
        self._regroup()
        self._learn()

    def _learn(self) -> None:
        """Draw the conclusions of what is known, and choose the next commit."""
        here = self.tested.get(self.place)
        if here is not None and self.place not in self.skipped:
            self._evidence[self.place] = self._evidence_of(here.tally)
        self.posterior = posterior_of(self.history.holds, self._evidence)
        self._conclude()
        if self.answer is not None:
            return
        testable = self._testable()
        if not testable.any():
            self.answer = Answer.UNDECIDED
        elif not testable[self.place] or self._knows_enough(here):
            following = int(most_open(self.posterior.weaker, testable))
            if following != self.place:
                self.place = following
                there = self.tested.get(following)
                self._begun = 0 if there is None else len(there.tally.order)

    def _conclude(self) -> None:
        confidence = self.question.confidence
        if self.posterior.says_none(confidence):
            self.answer = Answer.NONE
            return
        sure = self.posterior.sure_groups(confidence, self._groups)
        if sure.any():
            blamed = np.flatnonzero(self._groups == sure.argmax())
            self.suspects = tuple(int(place) for place in blamed)
            self.answer = Answer.FOUND if len(self.suspects) == 1 else Answer.AMBIGUOUS
        elif self.games + 2 > self.question.max_games:
            self.answer = Answer.UNDECIDED

    def _knows_enough(self, here: Tested | None) -> bool:
        """Whether the commit at hand may be left for another."""
        if here is None or len(here.tally.order) - self._begun < LEAST_PAIRS:
            return False
        chance = float(self.posterior.weaker[self.place])
        return min(chance, 1.0 - chance) < STAY

    def _testable(self) -> BoolArray:
        testable = np.ones(len(self.history.commits), dtype=bool)
        testable[list(self.skipped)] = False
        for place, tested in self.tested.items():
            testable[place] &= not tested.tally.is_exhausted
        return testable

    def _evidence_of(self, tally: Tally) -> FloatArray:
        """That of all pairs, as far as the distinct ones by themselves bear it out."""
        model = self.question.model
        every = drop_evidence(counts=tally.pentanomial, drops=self._drops, model=model)
        if tally.distinct == tally.pentanomial:
            return every
        distinct = drop_evidence(counts=tally.distinct, drops=self._drops, model=model)
        agreed = np.minimum(np.abs(every), np.abs(distinct))
        return np.asarray(np.where(np.sign(every) == np.sign(distinct), np.sign(every), 0) * agreed)

    def _regroup(self) -> None:
        """Commits that the same of all testable commits hold are one group."""
        rows = [place for place in range(len(self.history.commits)) if place not in self.skipped]
        columns = self.history.holds[rows].T
        self._groups = np.asarray(np.unique(columns, axis=0, return_inverse=True)[1]).reshape(-1)
