"""The processor time of one side of a game on its turns, compared with its allowance.

A bot may use one processor. Use below an allowance is ignored, for a bot cannot avoid all of it:
garbage collection, or code that its runtime compiles in the background. A bot that computes off its
turn is not charged but stopped (`ProcessTree`).
"""

from ladder.errors import BotOverCpu
from ladder.match.process.process_tree import ProcessTree

FREE_US, FREE_SHARE = 250_000, 0.1
"""Allowance per game for processor time beyond the length of a bot's turns: 250 ms plus 10 % of its
time."""


class CpuUse:
    """One side's processor time in the current game.

    Attributes:
        beyond_us: processor time of its turns beyond the length of each, in microseconds; a bot
            that keeps two processors busy for 100 ms adds 100 ms.

    """

    __slots__ = ("beyond_us",)

    def __init__(self) -> None:
        self.beyond_us = 0

    def add(self, tree: ProcessTree, elapsed_us: int) -> bool:
        """Count a turn; return whether to check the allowance."""
        beyond_us = tree.turn_us - elapsed_us
        if beyond_us > 0:
            self.beyond_us += beyond_us
        return self.beyond_us > FREE_US

    def check_turns(self, own_us: int) -> None:
        """Raise a failure if a bot with one processor has used more than that.

        Args:
            own_us: time that it has taken in this game.

        Raises:
            BotOverCpu: its use exceeds the allowance.

        """
        if self.beyond_us > FREE_US + FREE_SHARE * own_us:
            raise BotOverCpu(
                f"used {(own_us + self.beyond_us) / 1000:.0f} ms of processor time in moves that "
                f"took {own_us / 1000:.0f} ms: it left the one CPU that it was given"
            )
