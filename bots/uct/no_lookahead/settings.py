"""What the players without look-ahead can differ in, beyond what all UCT versions can."""

from dataclasses import dataclass

from bots.uct.settings import Settings


@dataclass(frozen=True, slots=True)
class BlindSettings(Settings):
    """The switches and numbers of one version."""

    rollout: str = "random"
    """How rollouts draw their columns: ``random``, ``middle`` or ``seven``."""
    central: bool = False
    """uct-random: ties in the final choice go to the column nearer the centre, whatever else."""
    leave: bool = False
    """mcts3: a decided node gets a value so bad that selection leaves it alone."""
