"""The question of a gate: the drop that is not allowed, and the chances of a wrong answer."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ladder.errors import UsageError
from ladder.stats.choices import Model
from ladder.stats.sprt import Sprt, check_chances

MAX_DROP = 1000.0
"""The greatest drop that can be asked about, in Elo."""
QUESTION = "question"
"""The key of a gate's question among the settings of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTest:
    """The question put to the games of a gate.

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
    """Games after which there is no decision any more."""
    model: Model = Model.LOGISTIC
    """The Elo in which `max_drop` is given."""

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

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "GateTest | None":
        """The question that is kept with a run; None: none is, or none that can be understood."""
        try:
            kept = settings[QUESTION]
            return cls(**{**kept, "model": Model(kept["model"])})
        except (KeyError, TypeError, ValueError, UsageError):
            return None

    @property
    def settings(self) -> dict[str, object]:
        """The part of the question that is kept with the run; no part of the run's identity."""
        return {QUESTION: {**asdict(self), "model": self.model.value}}

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
