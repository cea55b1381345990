"""The alpha-beta versions as a table of differences, and their settings."""

from dataclasses import dataclass

from bots.options import ranged, refuse_unless
from bots.version import Factory, Row, Version, compose

MOST_WEIGHT = 30
"""Largest weight; the sums of an evaluation must fit in 16 bits."""
MOST_PLIES = 143
"""Plies of the longest game but one."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one version."""

    depth: int = ranged(4, 1, MOST_PLIES)
    """Search depth in plies; the first depth of a game if the depth is adaptive."""
    two: int = ranged(1, -MOST_WEIGHT, MOST_WEIGHT)
    """Weight of a two-link, or of each open end of one."""
    three: int = ranged(4, -MOST_WEIGHT, MOST_WEIGHT)
    """Weight of a three-link, or of each open end of one."""
    clock_share: float = ranged(0.95, 0.001, 1.0)
    """Share of the move time that may be used."""
    central: int = ranged(0, 0, MOST_PLIES)
    """ab2: number of first moves of a game that stay near the centre; above 0, columns are searched
    from the centre outwards."""
    ends: bool = False
    """ab2: count only the open ends of links."""
    reach: int = ranged(0, 0, 12)
    """ab3: rows above the landing cell up to which an end counts; 0 means all."""
    adaptive: bool = False
    """ab4: adapt the depth to the cost of the searches."""
    probe: int = ranged(0, 0, MOST_PLIES)
    """ab5: depth of a first search that orders the root's moves, in plies."""
    inner: int = ranged(0, 0, MOST_PLIES)
    """ab5: fewest plies left for inner nodes to order moves by static value; 0 means never."""

    def __post_init__(self) -> None:
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
