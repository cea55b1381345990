"""Openings: random plies that both games of a pair share."""

from engine.board import Board
from engine.board_class import BoardClass
from engine.errors import OpeningError
from engine.position import Position
from engine.seeds import SplitMix, mix

ATTEMPTS = 20_000
"""Random lines to try before an opening counts as impossible."""
QUICK_ATTEMPTS = 200
"""Random lines within which a length of openings must succeed to be accepted (`check_openings`)."""
FEWEST = 6
"""Fewest stones with which the side to move can have three."""
SAMPLES = 12
"""Openings that `check_openings` draws."""


def has_immediate_win(position: Position) -> bool:
    """Return whether the side to move has an immediate win."""
    if position.ply < FEWEST:
        return False
    side = position.to_move
    return any(position.play(column).winner == side for column in position.legal_moves())


def draw_opening(
    board: Board, plies: int, random: SplitMix, *, attempts: int = ATTEMPTS
) -> tuple[int, ...]:
    """Draw random legal columns such that neither side wins or can win at the next ply.

    Raises:
        OpeningError: none was found, because the board is too small for this many plies.

    """
    if plies >= board.cells:
        raise OpeningError(
            f"an opening of {plies} plies leaves nothing to play on {board}, "
            f"which holds {board.cells} stones: ask for fewer plies"
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
    """Check that thousands of openings of a length can be drawn on a board class.

    The check draws on the smallest board, where long openings are rarest: if a dozen draws succeed
    within `QUICK_ATTEMPTS` each, no draw of a long stream will fail within `ATTEMPTS`.

    Raises:
        OpeningError: a draw failed; the message asks for fewer plies.

    """
    for seed in range(SAMPLES):
        draw_opening(board_class.smallest, plies, SplitMix(mix(seed)), attempts=QUICK_ATTEMPTS)
