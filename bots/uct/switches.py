"""The switches of the fast searches as bits and their parameters as a record, for kernels."""

from typing import NamedTuple

from bots.uct.settings import Settings

SOLVE = 1
"""v6: back up results proven at end nodes."""
FORCED = 2
"""v8: expand only forced replies; double threats decide."""
RIGHT_DISTANCES = 4
"""v12: exact distances, with two plies for a double threat."""
URGENT = 8
"""v13: visit a new node once more before expanding its siblings."""
CAREFUL = 16
"""v19: do not expand columns in which the opponent could then win directly above."""
FIRST_PLAY = 32
"""v20: select among all children from the start, with first-play values."""
LEAVE_SOLVED = 64
"""mcts3: never select decided nodes."""


def flags_of(settings: Settings) -> int:
    """Return the switches of a version."""
    return (
        SOLVE * settings.solve
        + FORCED * settings.forced
        + RIGHT_DISTANCES * settings.right_distances
        + URGENT * settings.urgent
        + CAREFUL * (settings.careful > 0)
        + FIRST_PLAY * (settings.expect > 0)
    )


class UctParameters(NamedTuple):
    """The parameters of a version, with the types that the kernels are compiled for."""

    c: float
    """Exploration constant."""
    careful_rollouts: int
    """Share of careful rollouts, of 256."""
    first_play_visits: int
    """Weight of a first-play value in visits."""
    first_play_bonus: float
    """Bonus in a first-play value for each threat made or taken away."""


def parameters_of(settings: Settings) -> UctParameters:
    """Return the parameters of a version."""
    return UctParameters(
        float(settings.c), int(settings.careful), int(settings.expect), float(settings.hint)
    )
