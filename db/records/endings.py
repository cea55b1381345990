"""The rule that ties the result of a finished game to its moves."""

from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Result, Termination


def find_ending_fault(
    game: Position | MutableGame, result: Result, termination: Termination
) -> str | None:
    """Return why a game cannot have ended so, or None if it can.

    Args:
        game: after its last move.
        result: of the first player.
        termination: how the game is said to have ended.

    """
    if termination in (Termination.FOUR_IN_A_ROW, Termination.BOARD_FULL):
        if game.ending != (result, termination):
            return f"its moves do not end in a {result} by {termination}"
    elif game.is_over:
        return f"its moves end the game, so it did not end by {termination}"
    elif termination.is_forfeit and result is Result.DRAW:
        return f"a game that ended by {termination} is no draw"
    return None
