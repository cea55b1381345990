"""The question of a bisection: the smallest drop to find, and the confidence of the answer."""

from dataclasses import dataclass

from ladder.errors import UsageError
from ladder.experiments.gate.question import MOST_ELO
from ladder.stats.choices import Model

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9999


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectQuestion:
    """The numbers of a bisection.

    Raises:
        UsageError: one is out of range.

    """

    max_drop: float = 20.0
    """Smallest drop to find, in Elo of the model."""
    confidence: float = 0.95
    """Chance that the answer is right, 0..1."""
    max_games: int = 20_000
    """Games over all commits after which the search ends without an answer."""
    model: Model = Model.LOGISTIC
    """The scale of `max_drop`."""

    def __post_init__(self) -> None:
        if not 0 < self.max_drop <= MOST_ELO:
            raise UsageError(
                f"must be above 0 and at most {MOST_ELO:g} Elo, got {self.max_drop:g}",
                option="max_drop",
            )
        if not LEAST_CONFIDENCE <= self.confidence <= MOST_CONFIDENCE:
            raise UsageError(
                f"must be {LEAST_CONFIDENCE:g} to {MOST_CONFIDENCE:g}, got {self.confidence:g}",
                option="confidence",
            )
