"""Slow and simple forms of the alpha-beta evaluations."""

from collections.abc import Iterator

from engine.board import Board
from engine.position import Position
from tests.engine.oracle import DIRECTIONS, CellXY, SlowGame, minimax

WIN = 100_000
TWO, THREE = 1, 4


def step(cell: CellXY, direction: CellXY, count: int) -> CellXY:
    return cell[0] + count * direction[0], cell[1] + count * direction[1]


def runs(stones: set[CellXY]) -> Iterator[tuple[CellXY, CellXY, int]]:
    """Return every run of a side's stones in a line: its first stone, the direction, its length."""
    for stone in stones:
        for direction in DIRECTIONS:
            if step(stone, direction, -1) in stones:
                continue
            length = 1
            while step(stone, direction, length) in stones:
                length += 1
            yield stone, direction, length


def links(stones: set[CellXY]) -> int:
    """Return the two-links and three-links, as ab1 counts them."""
    return sum({2: TWO, 3: THREE}.get(length, 0) for _, _, length in runs(stones))


def open_ends(
    board: Board,
    stones: set[CellXY],
    opponent: set[CellXY],
    landing: dict[int, int | None],
    reach: int,
) -> int:
    """Return the open ends of links, as ab2 and (with a reach above 0) ab3 count them."""

    def on_board(cell: CellXY) -> bool:
        row, column = cell
        inside = 0 <= row < board.rows and 0 <= column < board.columns
        return inside and cell != board.forbidden

    def empty(cell: CellXY) -> bool:
        return on_board(cell) and cell not in stones and cell not in opponent

    def in_reach(cell: CellXY) -> bool:
        top = landing[cell[1]]
        return not reach or (top is not None and cell[0] <= top + reach)

    total = 0
    for first, direction, length in runs(stones):
        if length not in (2, 3):
            continue
        before, after = step(first, direction, -1), step(first, direction, length)
        beyond = {
            before: step(first, direction, -2),
            after: step(first, direction, length + 1),
        }
        for end, other_end in ((before, after), (after, before)):
            if not empty(end) or not in_reach(end):
                continue
            if length == 3:
                total += THREE
            else:
                room = on_board(beyond[end]) and beyond[end] not in opponent
                total += TWO * (room or empty(other_end))
    return total


def static_value(name: str, position: Position) -> int:
    """Return the static value of a position for the side to move."""
    game = SlowGame.of(position)
    own, other = (game.stones_of(side) for side in (game.to_move, 1 - game.to_move))
    if name == "ab1":
        return links(own) - links(other)
    landing = {column: game.landing_row(column) for column in range(position.board.columns)}
    reach = 0 if name == "ab2" else 3
    return open_ends(position.board, own, other, landing, reach) - open_ends(
        position.board, other, own, landing, reach
    )


def minimax_of(name: str, position: Position, depth: int, ply: int = 0) -> int:
    """Return the value for the side to move by full search to a depth."""
    return minimax(position, depth, WIN, lambda last, _: static_value(name, last), ply)
