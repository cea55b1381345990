"""A gate's verdict with all that it was made from, and its sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ladder.experiments.gate.cost import ExpectedGames
from ladder.experiments.gate.question import GateTest
from ladder.stats.choices import Model
from ladder.stats.elo import EloEstimate
from ladder.stats.sprt import SprtResult, State
from ladder.stats.sprt_estimate import StoppedEstimate


class Verdict(StrEnum):
    """The answer of a gate."""

    PASS = "pass"  # noqa: S105 - not a password
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineResult:
    """The games, the estimates and the test against one baseline, from the candidate's side."""

    name: str
    is_same_content: bool
    """The baseline is made of the same content as the candidate: a control."""
    pentanomial: tuple[int, ...]
    """Counted pairs by the candidate's points: 0, 1/2, 1, 3/2, 2."""
    wdl: tuple[int, int, int]
    """Counted games won, drawn and lost."""
    estimate: EloEstimate
    """From the shares of all counted pairs with the weight of the distinct ones, as if their number
    had been fixed beforehand."""
    after_stopping: StoppedEstimate | None
    """Logistic Elo from the same, median-unbiased although good or bad luck stopped the test."""
    sprt: SprtResult
    """The test on all counted pairs."""
    distinct_pairs: int
    """Counted pairs that differ from all earlier ones in a board or a move."""
    sprt_distinct: SprtResult
    """The test on the distinct pairs alone."""
    state: State
    """The decision: that of both tests where they agree."""
    is_exhausted: bool
    """Further pairs were hardly to be expected to differ from those counted."""
    replayed_games: int
    """Stored games left out: their board, opening and seed had been counted already."""
    seconds: float
    """Duration of the counted games, one after the other."""
    ratios: tuple[tuple[int, float], ...]
    """The test's course: counted pairs and the LLR of all of them, at up to two hundred moments."""
    expected: ExpectedGames
    """The expected cost of such a test."""

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
    """The verdict and all that it was made from."""

    candidate: str
    test: GateTest
    verdict: Verdict
    reason: str
    baselines: tuple[BaselineResult, ...]
    deciding: BaselineResult
    """The baseline against which it was decided; without a decision, the one that looks worst."""
    forfeits: Mapping[str, Mapping[str, int]]
    """By bot and termination."""
    uncounted_games: int
    """Played beyond the decision: stored, but not part of it."""

    @property
    def games(self) -> int:
        """Counted games against all baselines."""
        return sum(baseline.games for baseline in self.baselines)

    @property
    def seconds(self) -> float:
        """Duration of all counted games, one after the other."""
        return sum(baseline.seconds for baseline in self.baselines)


def sentence(
    *,
    verdict: Verdict,
    candidate: str,
    test: GateTest,
    baselines: tuple[BaselineResult, ...],
    deciding: BaselineResult,
    stopped: bool,
) -> str:
    """A verdict in words, but for an invalid gate, whose cause lies elsewhere.

    `stopped`: the user ended the gate early.
    """
    games = sum(baseline.games for baseline in baselines)
    drop = f"{test.max_drop:g}" + (" normalized" if test.model is Model.NORMALIZED else "")
    low, high = deciding.sprt.lower, deciding.sprt.upper
    ratio = f"LLR {deciding.sprt.llr:.2f}"
    counted = f"{games} games" + _of_distinct(baselines)
    if verdict is Verdict.PASS:
        others = ", ".join(baseline.name for baseline in baselines)
        return (
            f"{candidate} is not worse than {others} by {drop} Elo or more: {ratio} is above "
            f"{high:.2f} after {counted}{_how_sure(deciding)}"
        )
    if verdict is Verdict.REGRESSION:
        return (
            f"{candidate} is worse than {deciding.name}: {ratio} is below {low:.2f} after "
            f"{counted}, which speak for a drop of {drop} Elo or more"
        )
    if not games:
        return "there are no games to decide from"
    if deciding.is_exhausted:
        return (
            f"no decision after {counted}: against {deciding.name} the games repeat, and hardly "
            "any further pair would be new; ask for longer openings (--opening-plies) or other "
            "boards"
        )
    limit = "there are no more stored games"
    if stopped:
        limit = "it was stopped: the same command resumes it"
    elif games + 2 > test.games:
        limit = "--max-games allows no more"
    where = f"{ratio} lies between {low:.2f} and {high:.2f}"
    if deciding.sprt.state is not State.CONTINUE:
        where = (
            f"{ratio} is beyond its bound, {low:.2f} or {high:.2f}, but that of the distinct pairs "
            f"alone is {deciding.sprt_distinct.llr:.2f}"
        )
    return f"no decision after {counted}, and {limit}: against {deciding.name} {where}"


def _of_distinct(baselines: tuple[BaselineResult, ...]) -> str:
    pairs = sum(baseline.pairs for baseline in baselines)
    distinct = sum(baseline.distinct_pairs for baseline in baselines)
    return "" if distinct == pairs else f" ({distinct} of {pairs} pairs are distinct)"


def _how_sure(deciding: BaselineResult) -> str:
    if deciding.is_same_content:
        return f"; {deciding.name} has the same content, so this is a control"
    if deciding.after_stopping is None:
        return ""
    los = deciding.after_stopping.los
    chance = "above 99 %" if los > 0.99 else "below 1 %" if los < 0.01 else f"{100 * los:.0f} %"
    return f"; the chance that it is better than {deciding.name} is {chance}"
