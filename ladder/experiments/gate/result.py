"""The result of a gate: the verdict, the numbers behind it, and the sentence that explains it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ladder.experiments.gate.cost import ExpectedGames
from ladder.experiments.gate.early import EarlyDecision
from ladder.experiments.gate.question import GateTest
from ladder.stats.choices import Model
from ladder.stats.elo import EloEstimate
from ladder.stats.sprt import SprtResult, State
from ladder.stats.sprt_estimate import StoppedEstimate


class Verdict(StrEnum):
    """The verdicts of a gate."""

    PASS = "pass"  # noqa: S105 - not a password
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineResult:
    """The games, estimates and test against one baseline, from the candidate's side."""

    name: str
    is_same_content: bool
    """Whether the baseline has the same content as the candidate, which makes it a control."""
    pentanomial: tuple[int, ...]
    """Counted pairs by the candidate's points: 0, 1/2, 1, 3/2, 2."""
    wdl: tuple[int, int, int]
    """Counted games won, drawn and lost."""
    estimate: EloEstimate
    """The estimate from all counted pairs, scaled so that they sum to the number of distinct pairs,
    as if the number of games had been fixed in advance."""
    after_stopping: StoppedEstimate | None
    """Logistic Elo from the same counts, corrected for the sequential stop (median-unbiased)."""
    sprt: SprtResult
    """The test on all counted pairs."""
    distinct_pairs: int
    """Counted pairs whose board or moves differ from those of all earlier ones."""
    sprt_distinct: SprtResult
    """The test on the distinct pairs alone."""
    state: State
    """The decision of both tests if they agree, or of the test for obvious cases."""
    early: EarlyDecision | None
    """The decision of the test for obvious cases, if it was first."""
    is_exhausted: bool
    """Whether further pairs would hardly give new games."""
    replayed_games: int
    """Stored games that were not counted, because the setup of their pair was counted before."""
    seconds: float
    """Sum of the durations of the counted games."""
    llr_history: tuple[tuple[int, float], ...]
    """The LLR history: numbers of counted pairs and the LLR after them, at most 200 points."""
    expected: ExpectedGames

    @property
    def pairs(self) -> int:
        """Counted pairs."""
        return sum(self.pentanomial)

    @property
    def games(self) -> int:
        """Counted games."""
        return 2 * self.pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The verdict of a gate and the numbers behind it."""

    candidate: str
    test: GateTest
    verdict: Verdict
    reason: str
    baselines: tuple[BaselineResult, ...]
    deciding: BaselineResult
    """The baseline that decided; without a decision, the one with the lowest LLR."""
    forfeits: Mapping[str, Mapping[str, int]]
    """Numbers of forfeits by bot and termination."""
    uncounted_games: int
    """Stored games that were played beyond the decision."""

    @property
    def games(self) -> int:
        """Counted games against all baselines."""
        return sum(baseline.games for baseline in self.baselines)

    @property
    def seconds(self) -> float:
        """Sum of the durations of all counted games."""
        return sum(baseline.seconds for baseline in self.baselines)


def explain_verdict(
    *,
    verdict: Verdict,
    candidate: str,
    test: GateTest,
    baselines: tuple[BaselineResult, ...],
    deciding: BaselineResult,
    stopped: bool,
) -> str:
    """Return a sentence that explains the verdict of a valid gate.

    Args:
        verdict: The verdict.
        candidate: The name of the candidate.
        test: The question.
        baselines: The results against all baselines.
        deciding: The result that decided.
        stopped: Whether the user stopped the gate early.

    """
    games = sum(baseline.games for baseline in baselines)
    drop = f"{test.max_drop:g}" + (" normalized" if test.model is Model.NORMALIZED else "")
    low, high = deciding.sprt.lower, deciding.sprt.upper
    ratio = f"LLR {deciding.sprt.llr:.2f}"
    counted = f"{games} games" + _of_distinct(baselines)
    early = deciding.early and _e_values(deciding.early)
    if verdict is Verdict.PASS:
        others = ", ".join(baseline.name for baseline in baselines)
        why = f"passed early, {early}" if early else f"{ratio} is above {high:.2f}"
        return (
            f"{candidate} is not worse than {others} by {drop} Elo or more: {why} after "
            f"{counted}{_how_sure(deciding)}"
        )
    if verdict is Verdict.REGRESSION:
        if early:
            return (
                f"{candidate} is worse than {deciding.name}: refused early, {early} after {counted}"
            )
        return (
            f"{candidate} is worse than {deciding.name}: {ratio} is below {low:.2f} after "
            f"{counted}, evidence for a drop of {drop} Elo or more"
        )
    if not games and stopped:
        return "no decision: it was stopped before its first pair, and the same command resumes it"
    if not games:
        return (
            f"no decision: there are no stored games of {candidate} against "
            f"{' and '.join(baseline.name for baseline in baselines)} under these conditions; give "
            "the boards, openings and budget that they were played with, or play new games"
        )
    if deciding.is_exhausted:
        return (
            f"no decision after {counted}: the games against {deciding.name} repeat, and further "
            "pairs would hardly give new ones; ask for longer openings or other boards"
        )
    limit = "there are no more stored games"
    if stopped:
        limit = "it was stopped: the same command resumes it"
    elif games + 2 > test.games:
        limit = f"at most {test.games} games are allowed"
    where = f"{ratio} lies between {low:.2f} and {high:.2f}"
    if deciding.sprt.state is not State.CONTINUE:
        where = (
            f"{ratio} is beyond its bound, {low:.2f} or {high:.2f}, but that of the distinct pairs "
            f"alone is {deciding.sprt_distinct.llr:.2f}"
        )
    return f"no decision after {counted}, and {limit}: against {deciding.name} {where}"


def _e_values(early: EarlyDecision) -> str:
    return f"the e-value {math.exp(early.log_e):.0f} is above {math.exp(early.log_limit):.0f}"


def _of_distinct(baselines: tuple[BaselineResult, ...]) -> str:
    pairs = sum(baseline.pairs for baseline in baselines)
    distinct = sum(baseline.distinct_pairs for baseline in baselines)
    return "" if distinct == pairs else f" ({distinct} of {pairs} pairs are distinct)"


def _how_sure(deciding: BaselineResult) -> str:
    if deciding.is_same_content:
        return "; both have the same content, so this only checks the gate itself"
    if deciding.after_stopping is None:
        return ""
    los = deciding.after_stopping.los
    chance = "above 99 %" if los > 0.99 else "below 1 %" if los < 0.01 else f"{100 * los:.0f} %"
    return f"; the chance that it is better than {deciding.name} is {chance}"
