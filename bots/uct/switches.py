"""The switches of the fast searches as bits, and their numbers as a record, for kernels."""

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
FIRST_PLAY = 32
"""v20: all children take part in selection from the start, with a first-play value."""
LEAVE_SOLVED = 64
"""mcts3: selection leaves every decided node alone."""


def flags_of(settings: Settings) -> int:
    """The bits of a version."""
    return (
        SOLVE * settings.solve
        + FORCED * settings.forced
        + RIGHT_DISTANCES * settings.right_distances
        + URGENT * settings.urgent
        + CAREFUL * (settings.careful > 0)
        + FIRST_PLAY * (settings.expect > 0)
    )


class UctParameters(NamedTuple):
    """The numbers of a version, each of the type that the kernels are compiled for."""

    c: float
    """Exploration constant."""
    careful_rollouts: int
    """Rollouts of 256 that are played carefully."""
    first_play_visits: int
    """Weight of an unseen child's first-play value, in visits."""
    first_play_bonus: float
    """Bonus of the first-play value for each threat made, or taken from the opponent."""


def parameters_of(settings: Settings) -> UctParameters:
    """The numbers of a version."""
    return UctParameters(
        float(settings.c), int(settings.careful), int(settings.expect), float(settings.hint)
    )
