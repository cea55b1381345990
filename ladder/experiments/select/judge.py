"""The judge of a selection: it finds the bots of a field that can still be the best."""

from collections.abc import Mapping, Sequence

import numpy as np

from db.records.pairs import PairPlan, PlayedPair
from db.records.runs import BEST
from ladder.experiments.engine import ExperimentJudge
from ladder.experiments.select.field import (
    BoolArray,
    SelectQuestion,
    contenders,
    leader_of,
    strengths,
)
from ladder.experiments.tally import ForfeitCount, JudgedBot, Tally
from ladder.stats.counts import FloatArray


class FieldJudge(ExperimentJudge):
    """Selects the best bot of a field."""

    def __init__(
        self, bots: Sequence[JudgedBot], question: SelectQuestion, baseline: str | None
    ) -> None:
        self.bots = tuple(bots)
        self.question = question
        self.baseline = baseline
        size = len(bots)
        self._indices = {bot.revision: index for index, bot in enumerate(bots)}
        self._tallies = {
            (one, other): Tally() for one in range(size) for other in range(one + 1, size)
        }
        self.forfeits = ForfeitCount(bot.name for bot in bots)
        self.open: BoolArray = np.ones(size, dtype=bool)
        """The bots that can still be chosen, the leader included."""
        self.failed: dict[int, str] = {}
        """The reasons of bots that forfeit too often, by index."""
        self.counted = 0

    @property
    def settings(self) -> Mapping[str, object]:
        """The question of the selection."""
        return self.question.settings(self.baseline)

    @property
    def verdict(self) -> str | None:
        """The choice or ``undecided``; None if the games mean nothing."""
        if self.is_invalid:
            return None
        return BEST + self.bots[self.leader].name if self.is_chosen else "undecided"

    @property
    def is_invalid(self) -> bool:
        """Whether the baseline forfeits too often, or fewer than two bots are left."""
        names = [self.bots[index].name for index in self.failed]
        return self.baseline in names or len(self.bots) - len(names) < 2

    @property
    def is_chosen(self) -> bool:
        """Whether only the leader can still be chosen."""
        return not self.is_invalid and int(self.open.sum()) == 1

    @property
    def is_exhausted(self) -> bool:
        """Whether further pairs of the remaining bots would hardly give new games."""
        indices = np.flatnonzero(self.open)
        among = [
            tally for pair, tally in self._tallies.items() if set(pair) <= set(indices.tolist())
        ]
        return bool(among) and all(tally.is_exhausted for tally in among)

    @property
    def decided(self) -> bool:
        """Whether no further pair can change the choice."""
        full = self.counted + 2 > self.question.games
        return full or self.is_invalid or self.is_chosen or self.is_exhausted

    @property
    def progress(self) -> str:
        """The leader, and the number of bots that can still be chosen."""
        if not self.counted:
            return f"{len(self.bots)} can be chosen"
        return f"{self.bots[self.leader].name} leads, {int(self.open.sum())} can be chosen"

    @property
    def leader(self) -> int:
        """The index of the present leader."""
        counts = self.counts()
        return int(leader_of(strengths(counts), counts.sum(axis=(-1, -2))))

    def wants(self, plan: PairPlan) -> bool:
        """Return whether both bots of a pair can still be chosen and their games do not repeat."""
        return self._is_wanted(self._indices[plan.a.revision], self._indices[plan.b.revision])

    def _is_wanted(self, a: int, b: int) -> bool:
        tally = self._tallies[min(a, b), max(a, b)]
        return bool(self.open[a] and self.open[b]) and not tally.is_exhausted

    def take(self, pair: PlayedPair) -> None:
        """Count a pair, unless it is not wanted or its setup was counted before."""
        a, b = self._indices[pair.a_revision], self._indices[pair.b_revision]
        if self.decided or not self._is_wanted(a, b):
            self.surplus += 2
            return
        if not self._tallies[min(a, b), max(a, b)].count(pair, is_first=a < b):
            return
        self.counted += 2
        self.forfeits.add((self.bots[a].name, self.bots[b].name), pair)
        for name, sentence in self.forfeits.failures.items():
            index = next(each for each, bot in enumerate(self.bots) if bot.name == name)
            self.failed.setdefault(index, sentence)
        self._reconsider()

    def counts(self) -> FloatArray:
        """Return the pairs of i against j by points, shape (K, K, 5).

        They are scaled so that they sum to the number of distinct pairs.

        Pairs of failed bots are left out, because forfeits say nothing about their opponents.
        """
        size = len(self.bots)
        counts = np.zeros((size, size, 5))
        for (one, other), tally in self._tallies.items():
            if one in self.failed or other in self.failed:
                continue
            counts[one, other] = tally.counted.evidence
            counts[other, one] = counts[one, other, ::-1]
        return counts

    def games_of(self, index: int) -> int:
        """Return the counted games of a bot."""
        return sum(tally.record.games for pair, tally in self._tallies.items() if index in pair)

    def _reconsider(self) -> None:
        able = np.array([index not in self.failed for index in range(len(self.bots))])
        counts = self.counts()[np.ix_(able, able)]
        self.open = np.zeros(len(self.bots), dtype=bool)
        if able.sum() > 1:
            self.open[able] = contenders(counts, self.question)
