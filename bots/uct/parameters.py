"""The form of the UCT versions' settings for kernels, which depend on all that they import."""

from typing import Final, NamedTuple

SOLVE: Final = 1
"""v6: back up results proven at end nodes."""
FORCED: Final = 2
"""v8: expand only forced replies; double threats decide."""
RIGHT_DISTANCES: Final = 4
"""v12: exact distances, with two plies for a double threat."""
URGENT: Final = 8
"""v13: visit a new node once more before expanding its siblings."""
CAREFUL: Final = 16
"""v19: do not expand columns in which the opponent could then win directly above."""
FIRST_PLAY: Final = 32
"""v20: select among all children from the start, with first-play values."""
LEAVE_SOLVED: Final = 64
"""mcts3: never select decided nodes."""
MOST_ENDGAME: Final = 48
"""Most empty cells of a position that is solved near the end: the frames of the stack less two."""


class UctParameters(NamedTuple):
    """The parameters of a version, with the types that the kernels are compiled for."""

    flags: int
    """The switches."""
    c: float
    """Exploration constant."""
    careful_rollouts: int
    """Share of careful rollouts, of 256."""
    first_play_visits: int
    """Weight of a first-play value in visits."""
    first_play_bonus: float
    """Bonus in a first-play value for each threat made or taken away."""
