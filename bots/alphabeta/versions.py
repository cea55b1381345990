"""The alpha-beta versions as a table of differences.

Each row has only its differences from the row it is based on.
"""

from bots.alphabeta.settings import Settings
from bots.version import Factory, Row, Version, compose

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
