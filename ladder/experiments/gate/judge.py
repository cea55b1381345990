"""The gate's decision: is a candidate worse than its baselines by more than it may be?

Against each baseline a sequential test runs on pentanomial counts, with H0 that the candidate has
dropped by the most that is allowed and H1 that it has not dropped at all. Pairs are taken in the
order of their numbers. Forfeits are looked at before the ratio: a failing bot says nothing about
strength, whoever it is.

A pair is a draw of a board, an opening and a seed. The same draw again is the same experiment, not
a new one, and is not counted. Different draws may still come out as the same games, where there are
few openings or bots do not use their seed. All draws together say without bias how the candidate
does under these conditions, but a few games played over and over say it of these few games only;
the distinct pairs alone say no more than they know, but weigh common and rare games alike, which
is a bias. So the test is made on both, and decides when both agree (docs/gating.md has figures).
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from db.records.pairs import PairPlan, PlayedPair
from ladder.experiments.engine import ExperimentJudge
from ladder.experiments.gate.cost import expected_games
from ladder.experiments.gate.forfeits import ForfeitCount
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import BaselineResult, GateResult, Verdict, sentence
from ladder.experiments.gate.tally import GateBot, Tally
from ladder.stats.choices import Model
from ladder.stats.counts import moments
from ladder.stats.elo import NORMALIZED, estimate, score_to_elo
from ladder.stats.sprt import Sprt, State, bounds, llr, sprt_result
from ladder.stats.sprt_estimate import StoppedEstimate, estimate_after

MOMENTS = 200
"""The course of the ratio is told at so many moments."""


class GateJudge(ExperimentJudge):
    """Takes pairs in order and keeps the verdict."""

    def __init__(self, candidate: GateBot, baselines: Sequence[GateBot], test: GateTest) -> None:
        self._candidate = candidate
        self._test = test
        self._sprt = test.sprt(len(baselines))
        self._tallies = {bot.revision: Tally(bot) for bot in baselines}
        names = dict.fromkeys([candidate.name, *(bot.name for bot in baselines)])
        self._forfeits = ForfeitCount(names)
        self._verdict: Verdict | None = None
        self._deciding: Tally | None = None
        self._culprit = ""
        self._counted = 0

    @property
    def settings(self) -> Mapping[str, object]:
        """The question."""
        return self._test.settings

    @property
    def decided(self) -> bool:
        """Whether no further pair can change the verdict."""
        return (
            self._verdict is not None
            or self._counted + 2 > self._test.games
            or not any(tally.is_open for tally in self._tallies.values())
        )

    @property
    def verdict(self) -> str:
        """The verdict as it stands."""
        return (self._verdict or Verdict.INCONCLUSIVE).value

    @property
    def progress(self) -> str:
        """The ratios between their bounds."""
        lower, upper = bounds(alpha=self._sprt.alpha, beta=self._sprt.beta)
        ratios = ", ".join(f"{tally.llr:.2f}" for tally in self._tallies.values())
        return f"LLR {ratios} ({lower:.2f} .. {upper:.2f})"

    def wants(self, plan: PairPlan) -> bool:
        """Whether the test against this pair's baseline still runs."""
        return self._tallies[plan.b.revision].is_open

    def take(self, pair: PlayedPair) -> None:
        """Count a pair, unless its draw is counted or everything that it bears on is decided."""
        is_first = pair.a_revision == self._candidate.revision
        ours = pair if is_first else pair.mirrored
        tally = self._tallies[ours.b_revision]
        if self.decided or not tally.is_open:
            self.surplus += 2
            return
        if not tally.count(pair, is_first=is_first):
            return
        self._counted += 2
        self._forfeits.add_pair((self._candidate.name, tally.bot.name), ours)
        self._culprit = self._forfeits.culprit
        if self._culprit:
            self._verdict = Verdict.INVALID
            return
        tally.decide(self._sprt)
        if tally.state is State.ACCEPT_H0:
            self._verdict, self._deciding = Verdict.REGRESSION, tally
        elif all(each.state is State.ACCEPT_H1 for each in self._tallies.values()):
            self._verdict, self._deciding = Verdict.PASS, tally

    def result(self, *, invalid: str = "", stopped: bool = False) -> GateResult:
        """The verdict as it stands.

        Args:
            invalid: why the run behind it means nothing; makes the gate invalid.
            stopped: the user ended the run early.

        """
        verdict, reason = self._verdict or Verdict.INCONCLUSIVE, self._culprit
        if invalid and verdict is not Verdict.INVALID:
            verdict, reason = Verdict.INVALID, invalid
        results = {id(tally): self._baseline(tally) for tally in self._tallies.values()}
        baselines = tuple(results.values())
        undecided = [tally for tally in self._tallies.values() if tally.state is State.CONTINUE]
        worst = min(undecided or self._tallies.values(), key=lambda tally: tally.llr)
        deciding = results[id(self._deciding or worst)]
        return GateResult(
            candidate=self._candidate.name,
            test=self._test,
            verdict=verdict,
            reason=reason
            or sentence(
                verdict=verdict,
                candidate=self._candidate.name,
                test=self._test,
                baselines=baselines,
                deciding=deciding,
                stopped=stopped,
            ),
            baselines=baselines,
            deciding=deciding,
            forfeits=self._forfeits.by_bot,
            uncounted_games=self.surplus,
        )

    def _baseline(self, tally: Tally) -> BaselineResult:
        pairs, distinct = sum(tally.pentanomial), sum(tally.distinct)
        # All pairs have the right shares on average; their weight is that of the distinct ones.
        weighed = [count * distinct / max(pairs, 1) for count in tally.pentanomial]
        after = estimate_after(counts=weighed, test=self._sprt)
        return BaselineResult(
            name=tally.bot.name,
            is_same_content=tally.bot.content == self._candidate.content,
            pentanomial=tuple(tally.pentanomial),
            wdl=(tally.wdl[0], tally.wdl[1], tally.wdl[2]),
            estimate=estimate(counts=weighed),
            after_stopping=after and _as_logistic(after, weighed, self._test.model),
            sprt=sprt_result(counts=tally.pentanomial, test=self._sprt),
            distinct_pairs=distinct,
            sprt_distinct=sprt_result(counts=tally.distinct, test=self._sprt),
            state=tally.state,
            is_exhausted=tally.is_exhausted,
            replayed_games=tally.replayed,
            seconds=tally.duration_us / 1e6,
            ratios=_ratios(tally.order, self._sprt),
            expected=expected_games(tally.pentanomial, self._sprt),
        )


def _ratios(order: bytearray, test: Sprt) -> tuple[tuple[int, float], ...]:
    """(pairs, LLR) at so many moments at most, the last of them after all pairs."""
    if not order:
        return ()
    counts = np.cumsum(np.eye(5)[list(order)], axis=0)
    moments = np.unique(np.linspace(1, len(order), min(len(order), MOMENTS)).round().astype(int))
    ratios = llr(counts=counts[moments - 1], test=test)
    return tuple(zip(moments.tolist(), ratios.tolist(), strict=True))


def _as_logistic(
    after: StoppedEstimate, pentanomial: Sequence[float], model: Model
) -> StoppedEstimate:
    """An estimate in the test's Elo as logistic Elo, at the spread that the pairs show."""
    if model is Model.LOGISTIC:
        return after
    deviation = moments(counts=pentanomial).deviation

    def logistic(elo: float) -> float:
        return score_to_elo(score=0.5 + elo / NORMALIZED * math.sqrt(2.0) * deviation)

    return StoppedEstimate(
        elo=logistic(after.elo),
        low95=logistic(after.low95),
        high95=logistic(after.high95),
        los=after.los,
    )
