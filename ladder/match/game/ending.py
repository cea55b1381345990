"""Ends of games: on the board, or by a forfeit."""

from typing import NamedTuple

from db.records.games import Proof
from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import BotFailure


class GameEnd(NamedTuple):
    """The end of a game."""

    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str = ""
    """The reason for a forfeit, or the proof of an adjudicated game."""
    offender: int | None = None
    """Side that forfeited: 0 the first player, 1 the second."""


class Forfeit(Exception):
    """The failure of one side, which ends the game."""

    def __init__(self, side: int, failure: BotFailure) -> None:
        super().__init__(str(failure))
        self.side = side
        self.failure = failure


def ending_by_proof(proof: Proof) -> GameEnd:
    """Return the end of a game whose result is proven."""
    return GameEnd(proof.value, Termination.ADJUDICATED, proof.text)


def ending_on_board(position: Position | MutableGame) -> GameEnd:
    """Return the end of a game that is over on the board."""
    ending = position.ending
    assert ending is not None  # noqa: S101 - the caller has checked that the game is over
    return GameEnd(*ending)
