"""The time of one side in a game: the same sums for the referee, for bots and for replays.

Three kinds of budget differ only in their numbers:

=====================  ========  ==========  =============
budget                 move_us   bank_us     increment_us
=====================  ========  ==========  =============
100 ms a move          100,000   0           0
100 ms and 60 s over   100,000   60,000,000  0
10 s and 100 ms more   0         10,000,000  100,000
=====================  ========  ==========  =============
"""

from dataclasses import dataclass
from typing import Self

from bots.budget import Budget, RemainingTime

SHARE_USED = 0.9
"""Part of the time to come that `share_ms` gives away; the rest is for delays."""


@dataclass(slots=True)
class GameClock:
    """The time that one side has left in a game."""

    move_us: int
    """Time of each move; what a move leaves of it is lost."""
    bank_us: int
    """Time for whatever moves need beyond that."""
    increment_us: int
    """What each move adds to the bank."""

    @classmethod
    def of(cls, budget: Budget) -> Self | None:
        """Return the clock at the beginning of a game, or None for a work budget."""
        if budget.clock is not None:
            return cls(0, 1000 * budget.clock.base_ms, 1000 * budget.clock.increment_ms)
        if budget.time_ms is not None:
            return cls(1000 * budget.time_ms, 1000 * (budget.overage_ms or 0), 0)
        return None

    @classmethod
    def remaining(cls, left: RemainingTime) -> Self:
        """Return the clock of the bot that is asked for a move."""
        return cls(1000 * left.time_ms, 1000 * left.yours_ms, 1000 * left.increment_ms)

    @property
    def left_us(self) -> int:
        """The longest time of the next move."""
        return self.move_us + self.bank_us

    def spend(self, elapsed_us: int) -> None:
        """Charge a finished move; a move within the margin of lateness leaves an empty bank."""
        beyond_us = max(0, elapsed_us - self.move_us)
        self.bank_us = max(0, self.bank_us - beyond_us) + self.increment_us

    def longest_us(self, moves: int) -> int:
        """Return the longest time of the next moves together."""
        return self.bank_us + moves * (self.move_us + self.increment_us)

    def share_ms(self, moves: int) -> int:
        """Return a fair time for the next move, at least 1 ms.

        It is the time of a move and an equal part of the bank, future increments included. A bot
        that takes it for each of `moves` moves never exceeds its time.

        Example: 10 s and 100 ms a move, for 21 moves: 0.9 * (10 + 20 * 0.1) s / 21 = 514 ms.

        Args:
            moves: the moves among which the bank is divided, this one included.

        """
        part_us = (self.bank_us + (moves - 1) * self.increment_us) // moves
        usable_us = SHARE_USED * min(part_us, self.bank_us)
        return max(1, (self.move_us + int(usable_us)) // 1000)


def moves_left(cells: int, ply: int) -> int:
    """Return the most moves that the side to move has to play, with `cells` cells on the board."""
    return max(1, (cells - ply + 1) // 2)
