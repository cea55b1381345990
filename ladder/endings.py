"""The rule that ties the result of a finished game to its moves."""

from engine.game_in_play import GameInPlay
from engine.position import Position
from engine.result import Result, Termination


def check_ending(game: Position | GameInPlay, result: Result, termination: Termination) -> None:
    """Check a game that is said to have ended so.

    Raises:
        ValueError: these moves do not end so; the message says why.

    """
    if termination is Termination.ABORTED:
        raise ValueError("aborted games are not kept")
    if termination in (Termination.FOUR_IN_A_ROW, Termination.BOARD_FULL):
        if game.ending != (result, termination):
            raise ValueError(f"these moves do not end in a {result} by {termination}")
    elif game.is_over:
        raise ValueError(f"the moves end the game, so it did not end by {termination}")
    elif termination.is_forfeit and result is Result.DRAW:
        raise ValueError(f"a game that ended by {termination} is no draw")
