"""A slow and simple form of c4ai's computations."""

from collections.abc import Iterator, Mapping
from functools import cache

from bots.c4ai.search import WON
from bots.c4ai.weights import Weights
from engine.board import Board
from engine.position import Position
from tests.engine.oracle import CellXY as Cell
from tests.engine.oracle import SlowGame, minimax

Column = tuple[tuple[bool, bool], ...]
"""The free cells of a column from below: does it win for the side to move, for the other?"""


def windows(board: Board) -> Iterator[frozenset[Cell]]:
    """Return all windows of four adjacent cells that stones can occupy."""
    cells = set(SlowGame(board).free_cells())
    for row, column in sorted(cells):
        for up, right in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            window = frozenset((row + k * up, column + k * right) for k in range(4))
            if window <= cells:
                yield window


def groups_of(board: Board, own: set[Cell], other: set[Cell], size: int) -> int:
    """Return the number of windows with exactly `size` own stones and no others."""
    return sum(len(w & own) == size and not w & other for w in windows(board))


def played_out(columns: tuple[Column, ...]) -> int:
    """Return the result of the game of `bots.c4ai.threat_race` by plain recursion."""
    return _played_out(tuple(sorted(columns)))


@cache
def _played_out(columns: tuple[Column, ...]) -> int:
    results = []
    for number, column in enumerate(columns):
        if not column:
            continue
        if column[0][0]:
            return 1
        rest = (*columns[:number], column[1:], *columns[number + 1 :])
        turned = tuple(sorted(tuple((b, a) for a, b in one) for one in rest))
        results.append(-_played_out(turned))
    return max(results, default=0)


def threat_columns(game: SlowGame) -> Mapping[int, Column]:
    """Return the columns with a winning cell that cannot be played yet, for the side to move."""
    mine, theirs = game.threats(game.to_move), game.threats(1 - game.to_move)
    hidden = (mine | theirs) - set(game.landing_cells())
    free = sorted(game.free_cells())
    return {
        number: tuple((cell in mine, cell in theirs) for cell in free if cell[1] == number)
        for number in sorted({column for _, column in hidden})
    }


def threat_result(position: Position) -> int:
    """Return the probable result for the side to move: 1, 0 or -1."""
    columns = threat_columns(SlowGame.of(position))
    if not 0 < len(columns) <= 4:
        return 0
    left = position.board.cells - position.ply
    elsewhere = left - sum(len(column) for column in columns.values())
    if elsewhere % 2 == 0:
        return played_out(tuple(columns.values()))
    turned = (tuple((b, a) for a, b in one) for one in columns.values())
    return -played_out(tuple(turned))


def static(position: Position, weights: Weights) -> int:
    """Return the static value for the player who has just moved."""
    game, board = SlowGame.of(position), position.board
    mover = game.to_move
    other, own = game.stones_of(mover), game.stones_of(1 - mover)
    ones, twos = (
        groups_of(board, own, other, size) - groups_of(board, other, own, size) for size in (1, 2)
    )
    atari = not game.threats(1 - mover).isdisjoint(game.landing_cells())
    outcome = -threat_result(position)
    probable = {1: weights.win, 0: weights.draw, -1: weights.loss}[outcome]
    return weights.one * ones + weights.two * twos + weights.atari * atari + probable


def minimax_of(position: Position, depth: int, weights: Weights) -> int:
    """Return the value for the side to move, without detecting wins early.

    The depth is odd, so the side to move also makes the last move.
    """
    return minimax(position, depth, WON, lambda last, ply: -_after_own_move(last, weights, ply))


def _after_own_move(position: Position, weights: Weights, ply: int) -> int:
    """Return the static value, or a loss for an opponent's atari, a win for two own ones."""
    game = SlowGame.of(position)
    landing = set(game.landing_cells())
    if game.threats(game.to_move) & landing:
        return ply + 1 - WON
    if len(game.threats(1 - game.to_move) & landing) > 1:
        return WON - ply - 2
    return static(position, weights)
