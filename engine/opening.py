"""Openings: a few random plies that both games of a pair share."""

from engine.board import Board, BoardClass
from engine.errors import OpeningError
from engine.position import Position
from engine.seeds import SplitMix, mix

ATTEMPTS = 20_000
"""Random lines tried before an opening is called impossible."""
QUICK_ATTEMPTS = 200
"""Enough for any opening of which a stream can have thousands; see `check_openings`."""
FEWEST = 6
"""Stones of a position in which the side to move has three of them."""
SAMPLES = 12
"""Openings that `check_openings` draws on a board."""


def has_immediate_win(position: Position) -> bool:
    """Whether the side to move can connect four at once."""
    if position.ply < FEWEST:
        return False
    side = position.to_move
    return any(position.play(column).winner == side for column in position.legal_moves())


def draw_opening(
    board: Board, plies: int, random: SplitMix, *, attempts: int = ATTEMPTS
) -> tuple[int, ...]:
    """Random legal columns with no win among them and none available at their end.

    Raises:
        OpeningError: none was found, because the board is too small for the number of plies.

    """
    if plies >= board.cells:
        raise OpeningError(
            f"an opening of {plies} plies leaves nothing to play on {board}, "
            f"which holds {board.cells} stones"
        )
    for _ in range(attempts):
        position = Position(board)
        while position.ply < plies and not position.is_over:
            position = position.play(random.choice(position.legal_moves()))
        if position.ply == plies and not position.is_over and not has_immediate_win(position):
            return position.moves
    raise OpeningError(
        f"no opening of {plies} plies without a win was found on {board}: ask for fewer plies"
    )


def check_openings(board_class: BoardClass, plies: int) -> None:
    """Refuse a length of openings that cannot be drawn on a class thousands of times.

    Tried on its smallest board, where long openings are rare. Where each of a dozen draws succeeds
    within `QUICK_ATTEMPTS`, none of a long stream will fail within `ATTEMPTS`.

    Raises:
        OpeningError: a draw failed; the message asks for fewer plies.

    """
    for seed in range(SAMPLES):
        draw_opening(board_class.smallest, plies, SplitMix(mix(seed)), attempts=QUICK_ATTEMPTS)
