"""The question of a bisection: the smallest drop of interest, and how sure the answer is to be."""

from dataclasses import dataclass

from ladder.errors import UsageError
from ladder.experiments.gate.question import MAX_DROP
from ladder.stats.choices import Model

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9999


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The numbers of a bisection.

    Raises:
        UsageError: one is out of range.

    """

    max_drop: float = 20.0
    """Elo of the model; a commit that lost less is not looked for."""
    confidence: float = 0.95
    """Chance that the whole answer is right, 0..1."""
    max_games: int = 20_000
    """Games over all commits after which the search gives up."""
    model: Model = Model.LOGISTIC
    """The Elo in which `max_drop` is given."""

    def __post_init__(self) -> None:
        if not 0 < self.max_drop <= MAX_DROP:
            raise UsageError(
                f"--max-drop must be above 0 and at most {MAX_DROP:g} Elo, got {self.max_drop:g}"
            )
        if not LEAST_CONFIDENCE <= self.confidence <= MOST_CONFIDENCE:
            raise UsageError(
                f"--confidence must be {LEAST_CONFIDENCE:g} to {MOST_CONFIDENCE:g}, "
                f"got {self.confidence:g}"
            )
