"""The settings of the players without look-ahead, beyond those of all UCT versions."""

from dataclasses import dataclass

from bots.uct.settings import Settings


@dataclass(frozen=True, slots=True)
class NoLookaheadSettings(Settings):
    """The settings of one version without look-ahead."""

    rollout: str = "random"
    """The chances of columns in rollouts: ``random``, ``middle`` or ``seven``."""
    central: bool = False
    """uct-random: ties in the choice of the move go to the column nearer the centre."""
    leave: bool = False
    """mcts3: a decided node gets a value so bad that selection leaves it alone."""
