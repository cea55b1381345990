"""The rule that a finished game's result follows from its moves."""

from typing import assert_never

from db.records.games import Proof
from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Loser, Result, Termination


def find_ending_fault(
    game: Position | MutableGame,
    result: Result,
    termination: Termination,
    detail: str,
    plies: int | None,
) -> str | None:
    """Return why a game cannot have ended in this way, or None if it can.

    Args:
        game: the position after the last move.
        result: result for the first player.
        termination: recorded kind of ending.
        detail: the stored text about it.
        plies: greatest distance to the proven end at which the division ends games; None if it
            plays them out.

    """
    loser = termination.loser
    if loser is Loser.BY_MOVES:
        is_possible = game.ending == (result, termination)
        return None if is_possible else f"its moves do not end in a {result} by {termination}"
    if game.is_over:
        return f"its moves end the game, so it cannot have ended by {termination}"
    match loser:
        case Loser.BY_PROOF:
            return _find_proof_fault(game, result, detail, plies)
        case Loser.OFFENDER if result is Result.DRAW:
            return f"a game that ended by {termination} cannot be a draw"
        case Loser.TO_MOVE if result is not (Result.WIN if len(game.moves) & 1 else Result.LOSS):
            return f"the side to move {termination.predicate}, so it cannot be a {result}"
        case Loser.OFFENDER | Loser.TO_MOVE | Loser.NONE:
            return None
        case _:
            assert_never(loser)


def _find_proof_fault(
    game: Position | MutableGame, result: Result, detail: str, plies: int | None
) -> str | None:
    if plies is None:
        return "it was adjudicated, but its division plays games out"
    proof = Proof.of(Termination.ADJUDICATED, detail)
    if proof is None:
        return f"a proof is a result and a number of plies, such as win 7, got {detail[:80]!r}"
    ply = len(game.moves)
    left = game.board.cells - ply
    wins = result is not Result.DRAW
    if proof.value is not result:
        return f"it is a {result}, but adjudicated as a {proof.value}"
    # the winner's own stone is the last one
    if wins and proof.distance % 2 != (ply % 2 if result is Result.LOSS else 1 - ply % 2):
        return f"after ply {ply}, no {result} can come in {proof.distance} plies"
    least, most = (1, min(plies, left)) if wins else (left, left)
    if not least <= proof.distance <= most:
        return f"its proven end is {proof.distance} plies away, not {least}..{most}"
    return None
