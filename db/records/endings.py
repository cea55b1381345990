"""The rule that a finished game's result follows from its moves."""

from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Result, Termination


def find_ending_fault(
    game: Position | MutableGame, result: Result, termination: Termination
) -> str | None:
    """Return why a game cannot have ended in this way, or None if it can.

    Args:
        game: the position after the last move.
        result: result for the first player.
        termination: recorded kind of ending.

    """
    if termination in (Termination.FOUR_IN_A_ROW, Termination.BOARD_FULL):
        if game.ending != (result, termination):
            return f"its moves do not end in a {result} by {termination}"
    elif game.is_over:
        return f"its moves end the game, so it cannot have ended by {termination}"
    elif termination.is_forfeit and result is Result.DRAW:
        return f"a game that ended by {termination} cannot be a draw"
    return None
