"""The result of a gate: the verdict, the numbers behind it, and the sentence that explains it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from db.records.record import Record
from ladder.experiments.gate.question import EarlyDecision, GateTest
from ladder.names import counted
from ladder.stats.difference import Difference
from ladder.stats.sprt import Model, SprtResult, State
from ladder.stats.sprt_estimate import StoppedEstimate


class Verdict(StrEnum):
    """The verdicts of a gate."""

    PASS = "pass"  # noqa: S105 - not a password
    REGRESSION = "regression"
    NO_GAIN = "no_gain"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"

    @property
    def word(self) -> str:
        """The verdict for people."""
        return self.value.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineResult:
    """The games, estimates and test against one baseline, from the candidate's side."""

    name: str
    is_same_content: bool
    """Whether the baseline has the same content as the candidate, which makes it a control."""
    record: Record
    """The counted pairs; those whose board or moves differ from all earlier ones are distinct."""
    difference: Difference
    """The difference by all counted pairs, scaled so that they sum to the number of distinct pairs,
    as if the number of games had been fixed in advance."""
    after_stopping: StoppedEstimate | None
    """Logistic Elo from the same counts, corrected for the sequential stop (median-unbiased)."""
    sprt: SprtResult
    """The test on all counted pairs."""
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
        return sum(baseline.record.games for baseline in self.baselines)

    @property
    def seconds(self) -> float:
        """Sum of the durations of all counted games."""
        return sum(baseline.seconds for baseline in self.baselines)


def explain_verdict(result: GateResult, unfinished: str) -> str:
    """Return a sentence that explains the verdict of a valid gate.

    Args:
        result: The result.
        unfinished: Why the gate has not ended, such as ``it was stopped``; empty if it has.

    """
    verdict, candidate, test = result.verdict, result.candidate, result.test
    baselines, deciding, games = result.baselines, result.deciding, result.games
    scale = " normalized" if test.model is Model.NORMALIZED else ""
    drop, gain = f"{test.max_drop:g}{scale} Elo", f"{test.min_gain:g}{scale} Elo"
    played = counted(games, "game") + _of_distinct(baselines)
    early = ", decided by the early test" if deciding.early else ""
    strength = f"{_strength(result)}, after {played}{early}"
    if verdict is Verdict.PASS:
        others = ", ".join(baseline.name for baseline in baselines)
        control = "; both have the same content, so this only checks the gate itself"
        is_so = f"not worse than {others} by {drop} or more"
        if not test.max_drop:
            is_so = f"better than {others}"
        return f"{candidate} is {is_so}: {strength}{control if deciding.is_same_content else ''}"
    if verdict in (Verdict.REGRESSION, Verdict.NO_GAIN):
        is_so = f"worse than {deciding.name}"
        if test.is_better:
            is_so = f"not better than {deciding.name} by {gain} or more"
        return f"{candidate} is {is_so}: {strength}"
    if not games and unfinished:
        return f"no decision before the first pair: {unfinished}"
    if not games:
        return (
            f"no decision: there are no stored games of {candidate} against "
            f"{' and '.join(baseline.name for baseline in baselines)} under these conditions; give "
            "the boards, openings and budget that they were played with, or play new games"
        )
    record = deciding.record
    is_repeated = record.pentanomial[2] == record.pairs > (record.distinct or record.pairs)
    alike = ", and all pairs are tied: they may be the same player" * is_repeated
    if deciding.is_exhausted:
        return (
            f"no decision after {played}: the games against {deciding.name} repeat{alike}; "
            "further pairs would hardly give new ones, but longer openings or other boards may"
        )
    limit = "there are no more stored games"
    if unfinished:
        limit = unfinished
    elif games + 2 > test.games:
        limit = f"{counted(test.games, 'game')} at most are allowed"
    where = _strength(result)
    if deciding.sprt.state is not State.CONTINUE:
        where += "; all pairs together would decide, but the distinct pairs alone do not"
    return f"no decision after {played}, and {limit}: {where}{alike}"


def _strength(result: GateResult) -> str:
    """Return what the counted pairs alone say, as if their number had been fixed."""
    return result.deciding.difference.sentence(result.candidate, result.deciding.name)


def _of_distinct(baselines: tuple[BaselineResult, ...]) -> str:
    pairs = sum(baseline.record.pairs for baseline in baselines)
    distinct = sum(baseline.record.distinct or 0 for baseline in baselines)
    return "" if distinct == pairs else f" ({distinct} of {pairs} pairs are distinct)"
