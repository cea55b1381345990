"""Results of games, and the ways in which they end."""

from enum import StrEnum
from typing import NamedTuple


class Result(StrEnum):
    """A finished game from the first player's side."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"

    @property
    def points2(self) -> int:
        """Twice the first player's score: 2, 0 or 1."""
        return {Result.WIN: 2, Result.LOSS: 0, Result.DRAW: 1}[self]

    @property
    def mirrored(self) -> "Result":
        """The result of the game from the second player's side."""
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
    """Nobody's fault; never rated, its whole pair is played again."""

    @property
    def is_forfeit(self) -> bool:
        """Whether the loser lost by failing rather than on the board."""
        return self in FORFEITS


FORFEITS = (
    Termination.TIMEOUT,
    Termination.CRASH,
    Termination.ILLEGAL_MOVE,
    Termination.PROTOCOL_ERROR,
    Termination.MEMORY,
    Termination.PONDERING,
)
"""The terminations that are charged to one bot, in the order in which reports list them."""


class Ending(NamedTuple):
    """The end of a game by the rules, without a forfeit."""

    result: Result
    """From the first player's side."""
    termination: Termination
    """`FOUR_IN_A_ROW` or `BOARD_FULL`."""
