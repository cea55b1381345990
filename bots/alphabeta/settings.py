"""Everything in which two alpha-beta versions can differ. A version is a row of values for these.

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
    """What a two-link is worth, or each of its open ends."""
    three: int = 4
    """What a three-link is worth, or each of its open ends."""
    clock_share: float = 0.95
    """Part of the move time that may be used."""
    central: int = 0
    """ab2: a player's first so many moves stay near the centre; columns are looked at from the
    centre outwards."""
    ends: bool = False
    """ab2: only the open ends of links count."""
    reach: int = 0
    """ab3: an end cell counts up to so many rows above its column's landing cell; 0: at any
    height."""
    adaptive: bool = False
    """ab4: the depth follows what the searches cost."""
    probe: int = 0
    """ab5: plies of the search that orders the root's moves before the real one."""
    inner: int = 0
    """ab5: the moves of inner nodes that look so many plies ahead are ordered by their static
    values; 0: of none."""

    def __post_init__(self) -> None:
        lowest = {"depth": 1, "two": -MOST_WEIGHT, "three": -MOST_WEIGHT}
        highest = {"depth": 143, "two": MOST_WEIGHT, "three": MOST_WEIGHT, "reach": 12}
        for name in ("depth", "two", "three", "central", "reach", "probe", "inner"):
            low, high = lowest.get(name, 0), highest.get(name, 143)
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be {low} .. {high}, got {getattr(self, name)}")
        if not 0 < self.clock_share <= 1:
            raise ValueError(f"clock_share must be above 0 and at most 1, got {self.clock_share}")
