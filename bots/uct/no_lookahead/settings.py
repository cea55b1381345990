"""The settings of the players without look-ahead."""

from dataclasses import dataclass

from bots.uct.settings import Settings


@dataclass(frozen=True, slots=True)
class NoLookaheadSettings(Settings):
    """The settings of one version without look-ahead."""

    rollout: str = "random"
    """Column probabilities of rollouts: ``random``, ``middle`` or ``seven``."""
    central: bool = False
    """uct-random: among equal moves, choose the one nearer to the centre."""
    leave: bool = False
    """mcts3: selection avoids decided nodes."""
