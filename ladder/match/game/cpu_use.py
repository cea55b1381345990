"""The processor time of one side of a game, compared with its allowance.

A bot may use one processor, and only on its turn: its opponent thinks on the same one. Use below an
allowance is ignored, for a bot cannot avoid all of it: garbage collection, or code that its runtime
compiles in the background.
"""

from ladder.errors import BotOverCpu, BotPondering
from ladder.match.process.process_tree import ProcessTree

FREE_US, FREE_SHARE = 250_000, 0.1
"""Allowance per game for use off turn: 250 ms plus 10 % of the opponent's time. The same allowance,
with 10 % of the bot's own time, holds for processor time beyond the length of its turns."""


class CpuUse:
    """One side's processor time in the current game.

    Attributes:
        off_turn_us: processor time while the opponent was asked, in microseconds.
        beyond_us: processor time of its turns beyond the length of each, in microseconds; a bot
            that keeps two processors busy for 100 ms adds 100 ms.

    """

    __slots__ = ("beyond_us", "off_turn_us")

    def __init__(self) -> None:
        self.off_turn_us = self.beyond_us = 0

    def add(self, tree: ProcessTree, elapsed_us: int) -> bool:
        """Count a turn and the time off turn before it; return whether to check the allowance."""
        self.off_turn_us += tree.off_turn_us
        beyond_us = tree.turn_us - elapsed_us
        if beyond_us > 0:
            self.beyond_us += beyond_us
        return self.off_turn_us > FREE_US or self.beyond_us > FREE_US

    def check_off_turn(self, opponent_us: int, more_us: int = 0) -> None:
        """Raise a failure if the use off turn exceeds the allowance.

        Args:
            opponent_us: time that the opponent has taken in this game.
            more_us: processor time off turn that is not counted yet.

        Raises:
            BotPondering: it exceeds the allowance.

        """
        used_us = self.off_turn_us + more_us
        if used_us > FREE_US + FREE_SHARE * opponent_us:
            raise BotPondering(
                f"used {used_us / 1000:.0f} ms of processor time while its opponent was asked, "
                f"which took {opponent_us / 1000:.0f} ms"
            )

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
