"""How a game ends: its end, and the rules that can end it after a move."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

from db.records.games import Proof, Thought
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

    @classmethod
    def on_board(cls, game: Position | MutableGame) -> Self:
        """Return the end of a game that is over on the board."""
        ending = game.ending
        assert ending is not None  # noqa: S101 - the caller has checked that the game is over
        return cls(*ending)

    @classmethod
    def by_proof(cls, proof: Proof) -> Self:
        """Return the end of a game whose result is proven."""
        return cls(proof.value, Termination.ADJUDICATED, proof.text)

    @classmethod
    def by_failure(cls, side: int, failure: BotFailure) -> Self:
        """Return the end of a game that a side forfeits."""
        return cls(_lost_by(side), failure.termination, str(failure), offender=side)

    @classmethod
    def by_resignation(cls, side: int) -> Self:
        """Return the end of a game that a side gives up."""
        return cls(_lost_by(side), Termination.RESIGNED)


def _lost_by(side: int) -> Result:
    return Result.WIN if side else Result.LOSS


class EndingRule(Protocol):
    """A rule that is asked after each move whether it ends the game; made for one game."""

    def after_move(self, game: MutableGame, thoughts: Sequence[Thought]) -> GameEnd | None:
        """Return the end of the game, or None if it continues.

        Args:
            game: the game with the move.
            thoughts: records of the moves of both sides after the opening, in order.

        """
