"""Self-learning of c4ai: weights are mutated, and a child that wins more replaces its parent.

All of a training follows from its settings and the numbers of its generations, so that its log is
all that has to be kept: it is resumed after the last generation that the log holds whole.
"""

import msgspec

from bots.c4ai.weights import Weights


class TrainingSettings(msgspec.Struct, frozen=True):
    """What makes two trainings the same, as the first line of a log holds it."""

    seed: int
    start: Weights
    boards: str
    """As `engine.board.parse_board_classes` reads it."""
    opening_plies: int | None
    """Random plies before the players move; None: none on thu, 4 on a fixed board."""
    depth: int
    """Plies that both look ahead."""
    games_per_trial: int
    """Even: every opening is played by both sides."""
