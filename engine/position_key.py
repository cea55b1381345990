"""The key of a position, shared by other move orders and the mirror image."""

from hashlib import blake2b

from engine.board import Board
from engine.layout import LANE
from engine.position import Position


def key_of(position: Position) -> tuple[bytes, bool]:
    """Return the key of a position, and whether it was taken from the mirror image.

    The mirror image of a board has the forbidden cell mirrored, too.
    """
    board, stones = position.board, position.stones
    plain = (str(board), stones)
    image = (str(_mirrored(board)), (_turned(board, stones[0]), _turned(board, stones[1])))
    is_image = image < plain
    name, (first, second) = image if is_image else plain
    text = f"{name} {first:x} {second:x}"
    return blake2b(text.encode(), digest_size=16).digest(), is_image


def _mirrored(board: Board) -> Board:
    if board.forbidden is None:
        return board
    row, column = board.forbidden
    return Board(board.rows, board.columns, (row, board.columns - 1 - column))


def _turned(board: Board, stones: int) -> int:
    lane = (1 << LANE) - 1
    turned = 0
    for _ in range(board.columns):
        turned = turned << LANE | stones & lane
        stones >>= LANE
    return turned
