"""What versions of the fast searches switch on, as bits, and their numbers."""

from typing import NamedTuple

from bots.uct.settings import Settings

SOLVE = 1
"""v6: results proven at end nodes travel up."""
FORCED = 2
"""v8: forced replies are the only ones expanded, double threats decide."""
RIGHT_DISTANCES = 4
"""v12: the shortest win, the longest resistance, and two plies for a double threat."""
URGENT = 8
"""v13: a node just expanded is visited once more before its siblings are expanded."""
CAREFUL = 16
"""v19: columns in which the opponent would win directly above are not expanded."""
EXPECT = 32
"""v20: all children take part in selection from the start, with what is expected of them."""
LEAVE = 64
"""mcts3: selection leaves every decided node alone."""


def flags_of(settings: Settings) -> int:
    """The bits of a version."""
    return (
        SOLVE * settings.solve
        + FORCED * settings.forced
        + RIGHT_DISTANCES * settings.right_distances
        + URGENT * settings.urgent
        + CAREFUL * (settings.careful > 0)
        + EXPECT * (settings.expect > 0)
    )


class Dials(NamedTuple):
    """The numbers of a version."""

    c: float
    """Exploration constant."""
    careful: int
    """How many of 256 rollouts are played carefully."""
    expect: int
    """Visits that the expectation of an unseen child weighs."""
    hint: float
    """What a threat made, or taken from the opponent, adds to the expected mean."""


def dials_of(settings: Settings) -> Dials:
    """The numbers of a version, each of the type that the kernels are compiled for."""
    return Dials(
        float(settings.c), int(settings.careful), int(settings.expect), float(settings.hint)
    )
