"""The gate's decision: is a candidate worse than its baselines by more than it may be?

Against each baseline a sequential test runs on pentanomial counts, with H0 that the candidate has
dropped by the most that is allowed and H1 that it has not dropped at all. Pairs are taken in the
order of their numbers. Forfeits are looked at before the ratio: a failing bot says nothing about
strength, whoever it is.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from db.records.pairs import PairPlan, PlayedPair
from engine.result import FORFEITS, Result
from ladder.errors import ExitCode, UsageError
from ladder.ratings.counts import moments
from ladder.ratings.elo import NORMALIZED, EloEstimate, estimate, score_to_elo
from ladder.ratings.sprt import Model, Sprt, SprtResult, State, bounds, check_chances, judge
from ladder.ratings.sprt_estimate import (
    StoppedEstimate,
    estimate_after,
)
from ladder.standings.standings import (
    FORFEIT_MINIMUM,
    FORFEIT_SHARE,
)

MAX_DROP = 1000.0
"""The greatest drop that can be asked about, in Elo."""


class Verdict(StrEnum):
    """What a gate came to."""

    PASS = "pass"  # noqa: S105 - not a password
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command."""
        return {
            Verdict.PASS: ExitCode.DONE,
            Verdict.REGRESSION: ExitCode.REGRESSION,
            Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
            Verdict.INVALID: ExitCode.INVALID,
        }[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTest:
    """What is asked.

    Raises:
        UsageError: a number is out of range.

    """

    max_drop: float = 20.0
    """Elo of the model; the candidate may be worse by less than this."""
    alpha: float = 0.05
    """Chance to pass a candidate that is worse by `max_drop`."""
    beta: float = 0.05
    """Chance to fail an equal candidate, over all baselines together."""
    max_games: int = 3000
    model: Model = Model.LOGISTIC

    def __post_init__(self) -> None:
        if not 0 < self.max_drop <= MAX_DROP:
            raise UsageError(
                f"--max-drop must be above 0 and at most {MAX_DROP:g} Elo, got {self.max_drop:g}"
            )
        check_chances(self.alpha, self.beta)
        if self.max_games < 2:
            raise UsageError(f"--max-games must be at least 2, one pair, got {self.max_games}")
        if self.model is Model.BAYESIAN:
            raise UsageError("--model must be logistic or normalized: a gate counts pairs")

    @property
    def games(self) -> int:
        """The most games in whole pairs."""
        return self.max_games - self.max_games % 2

    def sprt(self, baselines: int) -> Sprt:
        """The test against each of so many baselines."""
        # Failing by chance against any of k must stay as rare as against one (Bonferroni). A pass
        # needs all k, so alpha needs no correction.
        return Sprt(
            elo0=-self.max_drop,
            elo1=0.0,
            alpha=self.alpha,
            beta=self.beta / baselines,
            model=self.model,
        )


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot of a gate."""

    name: str
    revision: int


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """How the candidate did against one baseline, from the candidate's side."""

    name: str
    pentanomial: tuple[int, ...]
    """Counted pairs by the candidate's points: 0, 1/2, 1, 3/2, 2."""
    wdl: tuple[int, int, int]
    estimate: EloEstimate
    """From the counts as if their number had been fixed beforehand."""
    after_stopping: StoppedEstimate | None
    """Logistic Elo, median-unbiased although good or bad luck stopped the test."""
    sprt: SprtResult

    @property
    def games(self) -> int:
        """Counted games."""
        return 2 * sum(self.pentanomial)


@dataclass(frozen=True, slots=True)
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


@dataclass(slots=True)
class _Tally:
    """The running counts against one baseline."""

    name: str
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    wdl: list[int] = field(default_factory=lambda: [0] * 3)
    state: State = State.CONTINUE
    llr: float = 0.0


class GateJudge:
    """Takes pairs in order and keeps the verdict. A `ladder.runs.decision.Judge`."""

    def __init__(
        self, candidate: Contestant, baselines: Sequence[Contestant], test: GateTest
    ) -> None:
        self._candidate = candidate
        self._test = test
        self._sprt = test.sprt(len(baselines))
        self._tallies = {bot.revision: _Tally(bot.name) for bot in baselines}
        names = dict.fromkeys([candidate.name, *(bot.name for bot in baselines)])
        self._forfeits: dict[str, Counter[str]] = {name: Counter() for name in names}
        self._games_of: Counter[str] = Counter()
        self._verdict: Verdict | None = None
        self._deciding: _Tally | None = None
        self._culprit = ""
        self._counted = 0
        self._uncounted = 0

    @property
    def decided(self) -> bool:
        """Whether no further pair can change the verdict."""
        return self._verdict is not None or self._counted + 2 > self._test.games

    @property
    def progress(self) -> str:
        """The ratios between their bounds."""
        lower, upper = bounds(alpha=self._sprt.alpha, beta=self._sprt.beta)
        ratios = ", ".join(f"{tally.llr:.2f}" for tally in self._tallies.values())
        return f"LLR {ratios} ({lower:.2f} .. {upper:.2f})"

    def wants(self, plan: PairPlan) -> bool:
        """Whether the test against this pair's baseline still runs."""
        return self._tallies[plan.b.revision].state is State.CONTINUE

    def take(self, pair: PlayedPair) -> None:
        """Count a pair, unless everything that it bears on is decided."""
        ours = pair if pair.a_revision == self._candidate.revision else pair.mirrored
        tally = self._tallies[ours.b_revision]
        if self.decided or tally.state is not State.CONTINUE:
            self._uncounted += 2
            return
        self._count(tally, ours)
        if self._look_at_forfeits():
            return
        result = judge(counts=tally.pentanomial, test=self._sprt)
        tally.llr, tally.state = result.llr, result.state
        if result.state is State.ACCEPT_H0:
            self._verdict, self._deciding = Verdict.REGRESSION, tally
        elif all(each.state is State.ACCEPT_H1 for each in self._tallies.values()):
            self._verdict, self._deciding = Verdict.PASS, tally

    def _count(self, tally: _Tally, pair: PlayedPair) -> None:
        self._counted += 2
        tally.pentanomial[sum(result.points2 for result in pair.results)] += 1
        for result, termination in zip(pair.results, pair.terminations, strict=True):
            tally.wdl[(Result.WIN, Result.DRAW, Result.LOSS).index(result)] += 1
            self._games_of[self._candidate.name] += 1
            self._games_of[tally.name] += 1
            if termination.is_forfeit:
                loser = self._candidate.name if result is Result.LOSS else tally.name
                self._forfeits[loser][termination.value] += 1

    def _look_at_forfeits(self) -> bool:
        for name, kinds in self._forfeits.items():
            count, games = kinds.total(), self._games_of[name]
            if count >= FORFEIT_MINIMUM and count > FORFEIT_SHARE * games:
                listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
                self._culprit = (
                    f"{name} forfeited {count} of its {games} games ({listed}), more than "
                    f"{FORFEIT_SHARE:.0%}: mend it first, its strength cannot be measured so"
                )
                self._verdict = Verdict.INVALID
                return True
        return False

    def result(self, *, invalid: str = "", stopped: bool = False) -> GateResult:
        """The verdict as it stands.

        Args:
            invalid: why the run behind it means nothing; makes the gate invalid.
            stopped: the user ended the run early.

        """
        verdict, reason = self._verdict or Verdict.INCONCLUSIVE, self._culprit
        if invalid and verdict is not Verdict.INVALID:
            verdict, reason = Verdict.INVALID, invalid
        baselines = {id(tally): self._baseline(tally) for tally in self._tallies.values()}
        worst = min(self._tallies.values(), key=lambda tally: tally.llr)
        deciding = baselines[id(self._deciding or worst)]
        return GateResult(
            candidate=self._candidate.name,
            test=self._test,
            verdict=verdict,
            reason=reason or self._say(verdict, deciding, stopped),
            baselines=tuple(baselines.values()),
            deciding=deciding,
            forfeits={
                name: {kind.value: kinds[kind.value] for kind in FORFEITS}
                for name, kinds in self._forfeits.items()
            },
            uncounted_games=self._uncounted,
        )

    def _baseline(self, tally: _Tally) -> BaselineResult:
        after = estimate_after(counts=tally.pentanomial, test=self._sprt)
        return BaselineResult(
            name=tally.name,
            pentanomial=tuple(tally.pentanomial),
            wdl=(tally.wdl[0], tally.wdl[1], tally.wdl[2]),
            estimate=estimate(counts=tally.pentanomial),
            after_stopping=after and _as_logistic(after, tally.pentanomial, self._test.model),
            sprt=judge(counts=tally.pentanomial, test=self._sprt),
        )

    def _say(self, verdict: Verdict, deciding: BaselineResult, stopped: bool) -> str:
        name, drop = self._candidate.name, f"{self._test.max_drop:g}"
        if self._test.model is Model.NORMALIZED:
            drop += " normalized"
        low, high = deciding.sprt.lower, deciding.sprt.upper
        ratio = f"LLR {deciding.sprt.llr:.2f}"
        if verdict is Verdict.PASS:
            others = ", ".join(tally.name for tally in self._tallies.values())
            return (
                f"{name} is not worse than {others} by {drop} Elo or more: {ratio} is above "
                f"{high:.2f} after {self._counted} games"
            )
        if verdict is Verdict.REGRESSION:
            return (
                f"{name} is worse than {deciding.name}: {ratio} is below {low:.2f} after "
                f"{self._counted} games, which speak for a drop of {drop} Elo or more"
            )
        if not self._counted:
            return "there are no games to decide from"
        limit = "there are no more stored games"
        if stopped:
            limit = "it was stopped: the same command goes on"
        elif self._counted + 2 > self._test.games:
            limit = "--max-games allows no more"
        return (
            f"no decision after {self._counted} games, and {limit}: against {deciding.name} "
            f"{ratio} lies between {low:.2f} and {high:.2f}"
        )


def _as_logistic(
    after: StoppedEstimate, pentanomial: Sequence[int], model: Model
) -> StoppedEstimate:
    """An estimate in the test's Elo as logistic Elo, at the spread that the pairs show."""
    if model is Model.LOGISTIC:
        return after
    deviation = moments(counts=pentanomial).deviation

    def logistic(elo: float) -> float:
        return score_to_elo(score=0.5 + elo / NORMALIZED * math.sqrt(2.0) * deviation)

    return StoppedEstimate(
        elo=logistic(after.elo), low95=logistic(after.low95), high95=logistic(after.high95)
    )
