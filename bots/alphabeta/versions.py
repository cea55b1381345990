"""The alpha-beta versions as a table of differences, and their settings."""

from dataclasses import dataclass

from bots.options import refuse_unless
from bots.version import Factory, Row, Version, compose

MOST_WEIGHT = 30
"""Largest weight; the sums of an evaluation must fit in 16 bits."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one version."""

    depth: int = 4
    """Search depth in plies; the first depth of a game if the depth is adaptive."""
    two: int = 1
    """Weight of a two-link, or of each open end of one."""
    three: int = 4
    """Weight of a three-link, or of each open end of one."""
    clock_share: float = 0.95
    """Share of the move time that may be used."""
    central: int = 0
    """ab2: number of first moves of a game that stay near the centre; above 0, columns are searched
    from the centre outwards."""
    ends: bool = False
    """ab2: count only the open ends of links."""
    reach: int = 0
    """ab3: rows above the landing cell up to which an end counts; 0 means all."""
    adaptive: bool = False
    """ab4: adapt the depth to the cost of the searches."""
    probe: int = 0
    """ab5: depth of a first search that orders the root's moves, in plies."""
    inner: int = 0
    """ab5: fewest plies left for inner nodes to order moves by static value; 0 means never."""

    def __post_init__(self) -> None:
        lowest = {"depth": 1, "two": -MOST_WEIGHT, "three": -MOST_WEIGHT}
        highest = {"depth": 143, "two": MOST_WEIGHT, "three": MOST_WEIGHT, "reach": 12}
        for name in ("depth", "two", "three", "central", "reach", "probe", "inner"):
            low, high, value = lowest.get(name, 0), highest.get(name, 143), getattr(self, name)
            refuse_unless(low <= value <= high, name, f"must be {low} .. {high}, got {value}")
        wanted = f"must be above 0 and at most 1, got {self.clock_share}"
        refuse_unless(0 < self.clock_share <= 1, "clock_share", wanted)
        refuse_unless(self.ends or not self.reach, "reach", "needs ends=yes")


ROWS = (
    Row("ab1", None, "alpha-beta to depth 4; two- and three-links, own minus opponent's", {}),
    Row(
        "ab2",
        "ab1",
        "opening moves near the centre; only open ends of links that can become four count",
        {"central": 3, "ends": True},
    ),
    Row(
        "ab3",
        "ab2",
        "dead grooves: an end cell too far above its column's top does not count",
        {"reach": 3},
    ),
    Row(
        "ab4",
        "ab3",
        "adaptive depth: one deeper after an early end, one less when half the time is gone",
        {"adaptive": True},
    ),
    Row(
        "ab5",
        "ab4",
        "a probe of three plies orders the root's moves, static values those of inner nodes",
        {"probe": 3, "inner": 4},
    ),
)

ALPHABETA: tuple[Version, ...] = compose(
    ROWS,
    family="alphabeta",
    players={"": Factory("bots.alphabeta.player:AlphaBetaPlayer", Settings)},
    budgets=("time", "nodes", "depth"),
)
