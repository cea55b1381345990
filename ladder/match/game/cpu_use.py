"""The processor time that one side of a game uses, held against what it may use.

A bot has one processor, and has it on its turn only: its opponent thinks on the same one. Nothing
is taken amiss below an allowance that is meant for what a bot cannot help: a heap that is tidied,
code that its runtime compiles in the background.
"""

from ladder.errors import BotOverCpu, BotPondering
from ladder.match.process.process_tree import ProcessTree

FREE_US, FREE_SHARE = 250_000, 0.1
"""Processor time that a bot may use in a game while its opponent is asked, in microseconds and as
a share of the time that the opponent takes; and as much on its turns beyond their time."""


class CpuUse:
    """One side's processor time in the game in play.

    Attributes:
        off_turn_us: while the opponent was asked, in microseconds.
        beyond_us: in its own turns beyond the length of each, in microseconds.

    """

    __slots__ = ("beyond_us", "off_turn_us")

    def __init__(self) -> None:
        self.off_turn_us = self.beyond_us = 0

    def add(self, tree: ProcessTree, elapsed_us: int) -> bool:
        """Count a turn and the rest before it; whether a look at the allowance is called for."""
        self.off_turn_us += tree.off_turn_us
        beyond_us = tree.turn_us - elapsed_us
        if beyond_us > 0:
            self.beyond_us += beyond_us
        return self.off_turn_us > FREE_US or self.beyond_us > FREE_US

    def check_off_turn(self, opponent_us: int, more_us: int = 0) -> None:
        """Refuse a use of the opponent's time beyond the allowance.

        Args:
            opponent_us: time that the opponent has taken in this game.
            more_us: processor time that is not counted yet.

        Raises:
            BotPondering: it is not.

        """
        used_us = self.off_turn_us + more_us
        if used_us > FREE_US + FREE_SHARE * opponent_us:
            raise BotPondering(
                f"used {used_us / 1000:.0f} ms of processor time while its opponent was asked, "
                f"which took {opponent_us / 1000:.0f} ms"
            )

    def check_turns(self, own_us: int) -> None:
        """Refuse a bot that has used more than one processor.

        Args:
            own_us: time that it has taken in this game.

        Raises:
            BotOverCpu: it has.

        """
        if self.beyond_us > FREE_US + FREE_SHARE * own_us:
            raise BotOverCpu(
                f"used {(own_us + self.beyond_us) / 1000:.0f} ms of processor time in moves that "
                f"took {own_us / 1000:.0f} ms: it left the one CPU that it was given"
            )
