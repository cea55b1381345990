"""Records of a tuning's steps."""

from collections.abc import Mapping
from dataclasses import dataclass

Setting = Mapping[str, float]
"""Values by parameter name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningStepRow:
    """The result of pairs between two parameter settings of a bot."""

    step: int
    """From 1."""
    a: Setting
    """The setting that moves first in game 0 of every pair."""
    b: Setting
    pentanomial: tuple[int, ...]
    """Pairs by the points of `a`: 0, 1/2, 1, 3/2, 2."""
    forfeits: int
    """Games that one of the two forfeited."""
    estimate: Setting
    """Values estimated after the step."""
    duration_us: int
    """Wall time of the step."""

    @property
    def games(self) -> int:
        """Number of finished games."""
        return 2 * sum(self.pentanomial)
