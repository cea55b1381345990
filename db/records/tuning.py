"""The steps of a tuning, on their way into the store and out of it.

Importing this module loads no database code.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Setting = Mapping[str, float]
"""The value of each parameter by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningStepRow:
    """The pairs that two settings of a bot have played against each other."""

    step: int
    """From 1 on."""
    a: Setting
    """Moves first in game 0 of every pair."""
    b: Setting
    pentanomial: tuple[int, ...]
    """Pairs by the points of `a`: 0, 1/2, 1, 3/2, 2."""
    forfeits: int
    """Games among them that either forfeited."""
    estimate: Setting
    """The values that the tuning has come to after the step."""
    duration_us: int
    """From the start of the step to its end."""

    @property
    def games(self) -> int:
        """Finished games."""
        return 2 * sum(self.pentanomial)
