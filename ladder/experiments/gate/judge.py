"""The judge of a gate: it tests whether the candidate is worse, or better, than its baselines.

Against each baseline a sequential test runs on pentanomial counts. H0 is that the candidate is
worse by the largest acceptable drop, H1 that it is equal; or H0 that it is equal, and H1 that it is
better by the smallest gain. Pairs are taken in the order of their
numbers. Forfeits are tested first, because games of a failing bot say nothing about strength.

A pair has a board, an opening and a seed. A repetition of all three is not counted: it is the same
experiment. Different pairs may still give the same games, if there are few openings or bots ignore
their seed. Counting them all is unbiased, but overstates the evidence if a few games are repeated.
Counting distinct pairs only does not overstate it, but is biased, because it weighs common and rare
games equally. So the test runs on both counts, and decides when both agree (docs/gate.md).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from db.records.pairs import PairPlan, PlayedPair
from ladder.experiments.engine import OVER, ExperimentJudge, RunEnd
from ladder.experiments.gate.question import EarlyDecision, EarlyTest, GateTest
from ladder.experiments.gate.result import (
    BaselineResult,
    GateResult,
    Verdict,
    explain_verdict,
)
from ladder.experiments.tally import ForfeitCount, JudgedBot, Tally
from ladder.stats.counts import moments
from ladder.stats.difference import difference_of
from ladder.stats.elo import NORMALIZED, score_to_elo
from ladder.stats.sprt import Model, Sprt, State, bounds, llr, sprt_result
from ladder.stats.sprt_estimate import StoppedEstimate, estimate_after

HISTORY_POINTS = 200
"""Most points of the LLR history."""


@dataclass(slots=True)
class GateTally(Tally):
    """The counts against one baseline, with the test."""

    state: State = State.CONTINUE
    llr: float = 0.0
    early: EarlyDecision | None = None
    """The decision of the test for obvious cases, if it was first."""

    @property
    def is_open(self) -> bool:
        """Whether a further pair can change the decision."""
        return self.state is State.CONTINUE and not self.is_exhausted

    def decide(self, test: Sprt, early: EarlyTest | None) -> None:
        """Update the LLR and the state; a decision needs the agreement of both counts."""
        every, distinct = self.record.pentanomial, self.distinct.pentanomial
        result = sprt_result(counts=every, test=test)
        self.llr, self.state = result.llr, result.state
        has_repeats = distinct != every
        if (
            result.state is not State.CONTINUE
            and has_repeats
            and sprt_result(counts=distinct, test=test).state is not result.state
        ):
            self.state = State.CONTINUE
        if self.state is State.CONTINUE and early is not None:
            self.early = early.decide(*((every, distinct) if has_repeats else (every,)))
            self.state = State.CONTINUE if self.early is None else self.early.state


class GateJudge(ExperimentJudge):
    """Tests a candidate against its baselines."""

    def __init__(
        self, candidate: JudgedBot, baselines: Sequence[JudgedBot], test: GateTest
    ) -> None:
        self._candidate = candidate
        self._test = test
        self._sprt = test.sprt(len(baselines))
        self._early = test.early_test(len(baselines))
        self._baselines = {bot.revision: bot for bot in baselines}
        self._tallies = {revision: GateTally() for revision in self._baselines}
        names = dict.fromkeys([candidate.name, *(bot.name for bot in baselines)])
        self._forfeits = ForfeitCount(names)
        self._verdict: Verdict | None = None
        self._deciding: GateTally | None = None
        self._failure = ""
        self._counted = 0

    @property
    def settings(self) -> Mapping[str, object]:
        """The question of the gate."""
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
        """The present verdict."""
        return (self._verdict or Verdict.INCONCLUSIVE).value

    @property
    def progress(self) -> str:
        """The LLR of each baseline, and the bounds."""
        lower, upper = bounds(alpha=self._sprt.alpha, beta=self._sprt.beta)
        ratios = ", ".join(f"{tally.llr:.2f}" for tally in self._tallies.values())
        waits = any(
            tally.is_open and not lower < tally.llr < upper for tally in self._tallies.values()
        )
        why = ", beyond its bound: waiting for distinct pairs to agree" if waits else ""
        return f"LLR {ratios} ({lower:.2f} .. {upper:.2f}){why}"

    def wants(self, plan: PairPlan) -> bool:
        """Return whether the test against the baseline of a pair is open."""
        return self._tallies[plan.b.revision].is_open

    def take(self, pair: PlayedPair) -> None:
        """Count a pair, unless its setup was counted before or its test is decided."""
        is_first = pair.a_revision == self._candidate.revision
        ours = pair if is_first else pair.mirrored
        tally = self._tallies[ours.b_revision]
        if self.decided or not tally.is_open:
            self.surplus += 2
            return
        if not tally.count(pair, is_first=is_first):
            return
        self._counted += 2
        self._forfeits.add((self._candidate.name, self._baselines[ours.b_revision].name), ours)
        self._failure = next(iter(self._forfeits.failures.values()), "")
        if self._failure:
            self._verdict = Verdict.INVALID
            return
        tally.decide(self._sprt, self._early)
        if tally.state is State.ACCEPT_H0:
            failed = Verdict.NO_GAIN if self._test.is_better else Verdict.REGRESSION
            self._verdict, self._deciding = failed, tally
        elif all(each.state is State.ACCEPT_H1 for each in self._tallies.values()):
            self._verdict, self._deciding = Verdict.PASS, tally

    def result(self, end: RunEnd = OVER) -> GateResult:
        """Return the present result."""
        verdict, reason = self._verdict or Verdict.INCONCLUSIVE, self._failure
        if end.invalid and verdict is not Verdict.INVALID:
            verdict, reason = Verdict.INVALID, end.invalid
        results = {
            id(tally): self._baseline(self._baselines[revision], tally)
            for revision, tally in self._tallies.items()
        }
        undecided = [tally for tally in self._tallies.values() if tally.state is State.CONTINUE]
        worst = min(undecided or self._tallies.values(), key=lambda tally: tally.llr)
        deciding = results[id(self._deciding or worst)]
        result = GateResult(
            candidate=self._candidate.name,
            test=self._test,
            verdict=verdict,
            reason=reason,
            baselines=tuple(results.values()),
            deciding=deciding,
            forfeits=self._forfeits.by_bot,
            uncounted_games=self.surplus,
        )
        return result if reason else replace(result, reason=explain_verdict(result, end.unfinished))

    def _baseline(self, bot: JudgedBot, tally: GateTally) -> BaselineResult:
        record = tally.counted
        scaled = record.evidence
        after = estimate_after(counts=scaled, test=self._sprt)
        return BaselineResult(
            name=bot.name,
            is_same_content=bot.content == self._candidate.content,
            record=record,
            difference=difference_of(scaled),
            after_stopping=after and _as_logistic(after, scaled, self._test.model),
            sprt=sprt_result(counts=record.pentanomial, test=self._sprt),
            sprt_distinct=sprt_result(counts=tally.distinct.pentanomial, test=self._sprt),
            state=tally.state,
            early=tally.early,
            is_exhausted=tally.is_exhausted,
            replayed_games=tally.repeated_games,
            seconds=tally.duration_us / 1e6,
            llr_history=_llr_history(tally.order, self._sprt),
        )


def _llr_history(order: bytearray, test: Sprt) -> tuple[tuple[int, float], ...]:
    """Return the LLR history as (pairs, LLR), at most `HISTORY_POINTS` points."""
    if not order:
        return ()
    counts = np.cumsum(np.eye(5)[list(order)], axis=0)
    points = np.unique(
        np.linspace(1, len(order), min(len(order), HISTORY_POINTS)).round().astype(int)
    )
    ratios = llr(counts=counts[points - 1], test=test)
    return tuple(zip(points.tolist(), ratios.tolist(), strict=True))


def _as_logistic(
    after: StoppedEstimate, pentanomial: Sequence[float], model: Model
) -> StoppedEstimate:
    """Convert an estimate in the Elo of the test to logistic Elo, with the spread of the pairs."""
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
