"""The question of a selection among candidates."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from db.records.runs import SELECT
from ladder.errors import UsageError
from ladder.experiments.gate.question import MOST_ELO
from ladder.experiments.select.field import Contest

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9999


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectQuestion:
    """The numbers of a selection.

    Raises:
        UsageError: one is out of range.

    """

    indifference: float = 20.0
    """Difference in Elo below which players count as equal."""
    confidence: float = 0.95
    """Chance that the chosen player is the best within the indifference, 0..1."""
    max_games: int = 20_000
    """Games after which the selection ends without a choice."""

    def __post_init__(self) -> None:
        if not 0 < self.indifference <= MOST_ELO:
            raise UsageError(
                f"must be above 0 and at most {MOST_ELO:g} Elo, got {self.indifference:g}",
                option="indifference",
            )
        if not LEAST_CONFIDENCE <= self.confidence <= MOST_CONFIDENCE:
            raise UsageError(
                f"must be {LEAST_CONFIDENCE:g} to {MOST_CONFIDENCE:g}, got {self.confidence:g}",
                option="confidence",
            )

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "SelectQuestion | None":
        """Return the question stored with a run; None if there is no readable one."""
        try:
            kept = {**settings[SELECT]}
            del kept["against"]
            return cls(**kept)
        except (KeyError, TypeError, UsageError):
            return None

    @property
    def contest(self) -> Contest:
        """The numbers of the test."""
        return Contest(self.indifference, self.confidence)

    @property
    def games(self) -> int:
        """Most games, rounded down to whole pairs."""
        return self.max_games - self.max_games % 2

    def settings(self, baseline: str | None) -> Mapping[str, object]:
        """Return the question as settings of a run, which are no part of its identity."""
        return {
            SELECT: {
                "against": baseline,
                "indifference": self.indifference,
                "confidence": self.confidence,
                "max_games": self.max_games,
            }
        }
