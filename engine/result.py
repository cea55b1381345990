"""Results and terminations of games."""

from enum import StrEnum
from typing import NamedTuple


class Result(StrEnum):
    """The result of a game for the first player."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def points2(self) -> int:
        """Twice the first player's score: 0, 1 or 2."""
        return {Result.WIN: 2, Result.LOSS: 0, Result.DRAW: 1}[self]

    @property
    def mirrored(self) -> "Result":
        """The result for the second player."""
        return {Result.WIN: Result.LOSS, Result.LOSS: Result.WIN, Result.DRAW: Result.DRAW}[self]


class Termination(StrEnum):
    """The reason why a game ended."""

    FOUR_IN_A_ROW = "four_in_a_row"
    BOARD_FULL = "board_full"
    TIMEOUT = "timeout"
    ILLEGAL_MOVE = "illegal_move"
    CRASH = "crash"
    PROTOCOL_ERROR = "protocol_error"
    MEMORY = "memory"
    PONDERING = "pondering"
    """Processor time used while the opponent was asked."""
    ADJUDICATED = "adjudicated"
    ABORTED = "aborted"
    """Neither bot's fault: not rated, and the pair is played again."""

    @property
    def is_forfeit(self) -> bool:
        """Whether the loser failed instead of losing on the board."""
        return self in FORFEITS


FORFEITS = (
    Termination.TIMEOUT,
    Termination.CRASH,
    Termination.ILLEGAL_MOVE,
    Termination.PROTOCOL_ERROR,
    Termination.MEMORY,
    Termination.PONDERING,
)
"""The forfeits in the order of reports."""


class Ending(NamedTuple):
    """The end of a game on the board."""

    result: Result
    """The result for the first player."""
    termination: Termination
    """`FOUR_IN_A_ROW` or `BOARD_FULL`."""
