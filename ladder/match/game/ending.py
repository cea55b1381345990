"""The end of a game: on the board, or by a forfeit."""

from typing import NamedTuple

from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import BotFailure


class GameEnd(NamedTuple):
    """How a game ended."""

    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str = ""
    """For a forfeit: what happened."""
    offender: int | None = None
    """Side that forfeited: 0 the first player, 1 the second."""


class Forfeit(Exception):
    """The end of a game by the failure of one side."""

    def __init__(self, side: int, failure: BotFailure) -> None:
        super().__init__(str(failure))
        self.side = side
        self.failure = failure


def ending_on_board(position: Position | MutableGame) -> GameEnd:
    """Return the verdict on a game that has ended on the board."""
    ending = position.ending
    assert ending is not None  # noqa: S101 - called only when the game is over
    return GameEnd(*ending)
