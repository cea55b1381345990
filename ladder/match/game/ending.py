"""Ends of games: on the board, by a proof, a failure or a resignation."""

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


def ending_on_board(position: Position | MutableGame) -> GameEnd:
    """Return the end of a game that is over on the board."""
    ending = position.ending
    assert ending is not None  # noqa: S101 - the caller has checked that the game is over
    return GameEnd(*ending)


def ending_by_proof(proof: Proof) -> GameEnd:
    """Return the end of a game whose result is proven."""
    return GameEnd(proof.value, Termination.ADJUDICATED, proof.text)


def ending_by_failure(side: int, failure: BotFailure) -> GameEnd:
    """Return the end of a game that a side forfeits."""
    return GameEnd(_lost_by(side), failure.termination, str(failure), offender=side)


def ending_by_resignation(side: int) -> GameEnd:
    """Return the end of a game that a side gives up."""
    return GameEnd(_lost_by(side), Termination.RESIGNED)


def _lost_by(side: int) -> Result:
    return Result.WIN if side else Result.LOSS
