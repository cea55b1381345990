"""The settings in which two alpha-beta versions can differ. A version is a row of their values.

The fields stand in the order in which the versions introduced them; a default means "without".
"""

from dataclasses import dataclass

MOST_WEIGHT = 30
"""A bound for the weights: the sums of an evaluation must fit 16 bits."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The switches and numbers of one version.

    Raises:
        ValueError: a number is out of its range.

    """

    depth: int = 4
    """Plies of the search; where the depth adapts, of a game's first search."""
    two: int = 1
    """Weight of a two-link, or of each of its open ends."""
    three: int = 4
    """Weight of a three-link, or of each of its open ends."""
    clock_share: float = 0.95
    """Part of the move time that may be used."""
    central: int = 0
    """ab2: number of a player's first moves that stay near the centre; columns are searched from
    the centre outwards."""
    ends: bool = False
    """ab2: only the open ends of links count."""
    reach: int = 0
    """ab3: rows above its column's landing cell up to which an end cell counts; 0: any."""
    adaptive: bool = False
    """ab4: the depth follows the cost of the searches."""
    probe: int = 0
    """ab5: plies of the search that orders the root's moves before the real one."""
    inner: int = 0
    """ab5: plies left from which inner nodes order their moves by static values; 0: never."""

    def __post_init__(self) -> None:
        lowest = {"depth": 1, "two": -MOST_WEIGHT, "three": -MOST_WEIGHT}
        highest = {"depth": 143, "two": MOST_WEIGHT, "three": MOST_WEIGHT, "reach": 12}
        for name in ("depth", "two", "three", "central", "reach", "probe", "inner"):
            low, high = lowest.get(name, 0), highest.get(name, 143)
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be {low} .. {high}, got {getattr(self, name)}")
        if not 0 < self.clock_share <= 1:
            raise ValueError(f"clock_share must be above 0 and at most 1, got {self.clock_share}")
