"""The question of a gate: two differences in strength, and the chances of a wrong answer.

"Is it worse?" tests a drop against 0, "is it better?" 0 (or a drop) against a gain.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import msgspec

from db.records.run_settings import GateSettings, StoredSettings, StoredTest, TuneSettings
from db.records.runs import RunRow
from ladder.errors import UsageError
from ladder.stats.elo import elo_to_score
from ladder.stats.evidence import log_evidence_above, log_evidence_below
from ladder.stats.sprt import Model, Sprt, State, check_chances


@dataclass(frozen=True, slots=True)
class EarlyDecision:
    """A decision of the test for obvious cases."""

    state: State
    log_e: float
    """Logarithm of the e-value that decided."""
    log_limit: float
    """Logarithm of the e-value that it had to reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyTest:
    """The test for obvious cases: a bet below the score of H1, and one above that of H0.

    The likelihood ratio between "equal" and "worse by the drop" weighs a lost pair by at most 0.06
    at a drop of 20 Elo: a candidate that loses every game takes 106 games. Bets
    (`ladder.stats.evidence`) with a small part of beta and alpha need 20 games there.
    """

    score0: float | None
    """Score per game under H0; None if it is not known, for no such bet."""
    score1: float | None
    """Score per game under H1; None if it is not known, for no such bet."""
    pass_at: float
    """Log evidence for more than `score0` at which the candidate passes."""
    fail_at: float
    """Log evidence for less than `score1` at which it fails."""

    def decide(self, *counts: Sequence[int]) -> EarlyDecision | None:
        """Return the decision that all of the pentanomial counts support; None for none."""
        for state, score, evidence, limit in (
            (State.ACCEPT_H0, self.score1, log_evidence_below, self.fail_at),
            (State.ACCEPT_H1, self.score0, log_evidence_above, self.pass_at),
        ):
            if score is not None:
                log_e = float(evidence(counts=counts, mean=score).min())
                if log_e >= limit:
                    return EarlyDecision(state, log_e, limit)
        return None


MOST_ELO = 1000.0
"""Upper limit of a drop and of a gain, in Elo."""
LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9999


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTest:
    """The numbers of a gate's sequential test.

    Raises:
        UsageError: a number is out of range.

    """

    max_drop: float = 20.0
    """Largest acceptable drop, in Elo of the model; may be 0 with a gain."""
    min_gain: float = 0.0
    """Smallest gain that must be found; 0 asks only whether the candidate is worse."""
    alpha: float = 0.05
    """Chance to pass a candidate that is worse by `max_drop`."""
    beta: float = 0.05
    """Chance to fail a candidate that is better by `min_gain`, over all baselines together."""
    max_games: int = 3000
    """Games after which the gate ends without a decision."""
    model: Model = Model.LOGISTIC
    """The scale of `max_drop` and `min_gain`."""
    early: float = 0.1
    """Part of alpha and of beta that the test for obvious cases may spend; 0 for no such test."""

    def __post_init__(self) -> None:
        if self.max_drop or not self.min_gain:
            check_elo(self.max_drop, "max_drop")
        if self.min_gain:
            check_elo(self.min_gain, "min_gain")
        check_chances(self.alpha, self.beta)
        if self.max_games < 2:
            raise UsageError(f"must be at least 2, got {self.max_games}", option="max_games")

    @classmethod
    def of(cls, settings: StoredSettings) -> "GateTest | None":
        """Return the question stored with a run; None if it has no question."""
        asked = settings.question if isinstance(settings, GateSettings | TuneSettings) else None
        if asked is None:
            return None
        return cls(**{**msgspec.structs.asdict(asked), "model": Model(asked.model)})

    @property
    def settings(self) -> dict[str, object]:
        """The question as settings of a run, which are no part of its identity."""
        return {"question": StoredTest(**{**asdict(self), "model": self.model.value})}

    def is_asked_by(self, run: RunRow) -> bool:
        """Return whether a run has the same question; the most games are no part of it."""
        asked = GateTest.of(run.settings)
        return asked is not None and replace(asked, max_games=self.max_games) == self

    @property
    def games(self) -> int:
        """Most games, rounded down to whole pairs."""
        return self.max_games - self.max_games % 2

    @property
    def is_better(self) -> bool:
        """Whether the question is if the candidate is better, not if it is worse."""
        return self.min_gain > 0

    @property
    def question(self) -> str:
        """The question in one word, for documents."""
        return "better" if self.is_better else "not_worse"

    @property
    def elo0(self) -> float:
        """The difference at which a pass is wrong with probability `alpha`."""
        return 0.0 - self.max_drop

    @property
    def elo1(self) -> float:
        """The difference at which a failure is wrong with probability `beta`."""
        return self.min_gain

    @property
    def asked(self) -> str:
        """The differences in words: ``a gain of 5 logistic Elo against a drop of 2``."""
        drop, gain = f"a drop of {self.max_drop:g}", f"a gain of {self.min_gain:g}"
        if not self.is_better:
            return f"{drop} {self.model.value} Elo"
        against = f" against {drop}" if self.max_drop else ""
        return f"{gain} {self.model.value} Elo{against}"

    @property
    def words0(self) -> str:
        """The candidate at `elo0` in words."""
        return f"worse by {self.max_drop:g} Elo" if self.max_drop else "equally strong"

    @property
    def words1(self) -> str:
        """The candidate at `elo1` in words."""
        return f"better by {self.min_gain:g} Elo" if self.min_gain else "equally strong"

    def sprt(self, baselines: int) -> Sprt:
        """Return the test against each baseline, for a number of baselines."""
        # With k baselines a good candidate can fail k tests, so each gets beta / k (Bonferroni).
        # It passes only if it passes all k, so alpha needs no correction.
        # What the early test cannot spend stays with the ratio.
        return Sprt(
            elo0=self.elo0,
            elo1=self.elo1,
            alpha=self.alpha * (1.0 - self.early * (self._score(self.elo0) is not None)),
            beta=self.beta * (1.0 - self.early * (self._score(self.elo1) is not None)) / baselines,
            model=self.model,
        )

    def early_test(self, baselines: int) -> EarlyTest | None:
        """Return the test for obvious cases against each baseline; None for no such test."""
        if not self.early:
            return None
        return EarlyTest(
            score0=self._score(self.elo0),
            score1=self._score(self.elo1),
            pass_at=-math.log(self.alpha * self.early),
            fail_at=-math.log(self.beta * self.early / baselines),
        )

    def _score(self, elo: float) -> float | None:
        """Return the mean score at a difference; None if bets cannot know it.

        Normalized Elo other than 0 is a mean only together with the spread of the results.
        """
        return elo_to_score(elo=elo) if self.model is Model.LOGISTIC or not elo else None


def check_elo(elo: float, option: str) -> None:
    """Refuse a difference that is out of range. Raises UsageError."""
    if not 0 < elo <= MOST_ELO:
        raise UsageError(
            f"must be above 0 and at most {MOST_ELO:g} Elo, got {elo:g}", option=option
        )


def check_confidence(confidence: float) -> None:
    """Refuse a chance to be right that is out of range. Raises UsageError."""
    if not LEAST_CONFIDENCE <= confidence <= MOST_CONFIDENCE:
        raise UsageError(
            f"must be {LEAST_CONFIDENCE:g} to {MOST_CONFIDENCE:g}, got {confidence:g}",
            option="confidence",
        )
