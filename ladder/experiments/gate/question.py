"""The question of a gate: the largest acceptable drop, and the chances of a wrong answer."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ladder.errors import UsageError
from ladder.experiments.gate.early import EarlyTest
from ladder.stats.choices import Model
from ladder.stats.elo import elo_to_score
from ladder.stats.sprt import Sprt, check_chances

MAX_DROP = 1000.0
"""Upper limit of the largest acceptable drop, in Elo."""
QUESTION = "question"
"""The settings key of a gate's question."""
EARLY = "early"
"""The key of `GateTest.early` in a question; missing in those of earlier versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTest:
    """The numbers of a gate's sequential test.

    Raises:
        UsageError: a number is out of range.

    """

    max_drop: float = 20.0
    """Largest acceptable drop, in Elo of the model."""
    alpha: float = 0.05
    """Chance to pass a candidate that is worse by `max_drop`."""
    beta: float = 0.05
    """Chance to fail an equal candidate, over all baselines together."""
    max_games: int = 3000
    """Games after which the gate ends without a decision."""
    model: Model = Model.LOGISTIC
    """The scale of `max_drop`."""
    early: float = 0.1
    """Part of alpha and of beta that the test for obvious cases may spend; 0 for no such test."""

    def __post_init__(self) -> None:
        if not 0 < self.max_drop <= MAX_DROP:
            raise UsageError(
                f"must be above 0 and at most {MAX_DROP:g} Elo, got {self.max_drop:g}",
                option="max_drop",
            )
        check_chances(self.alpha, self.beta)
        if self.max_games < 2:
            raise UsageError(f"must be at least 2, got {self.max_games}", option="max_games")

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "GateTest | None":
        """Return the question stored with a run; None if there is no readable one."""
        try:
            kept = settings[QUESTION]
            return cls(**{EARLY: 0.0, **kept, "model": Model(kept["model"])})
        except (KeyError, TypeError, ValueError, UsageError):
            return None

    @property
    def settings(self) -> dict[str, object]:
        """The question as settings of a run, which are no part of its identity."""
        return {QUESTION: {**asdict(self), "model": self.model.value}}

    @property
    def games(self) -> int:
        """Most games, rounded down to whole pairs."""
        return self.max_games - self.max_games % 2

    def sprt(self, baselines: int) -> Sprt:
        """Return the test against each baseline, for a number of baselines."""
        # With k baselines an equal candidate can fail k tests, so each gets beta / k (Bonferroni).
        # It passes only if it passes all k, so alpha needs no correction.
        # Under normalized Elo nothing is passed early, and alpha is whole.
        spent = self.early if self.model is Model.LOGISTIC else 0.0
        return Sprt(
            elo0=-self.max_drop,
            elo1=0.0,
            alpha=self.alpha * (1.0 - spent),
            beta=self.beta * (1.0 - self.early) / baselines,
            model=self.model,
        )

    def early_test(self, baselines: int) -> EarlyTest | None:
        """Return the test for obvious cases against each baseline; None for no such test."""
        if not self.early:
            return None
        # A drop of normalized Elo is a mean only together with the spread of the results, which the
        # bets do not know: under that model nothing is passed early.
        return EarlyTest(
            equal=0.5,
            dropped=elo_to_score(elo=-self.max_drop) if self.model is Model.LOGISTIC else None,
            pass_at=-math.log(self.alpha * self.early),
            fail_at=-math.log(self.beta * self.early / baselines),
        )
