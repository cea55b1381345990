"""The player of the harness's benchmark, which takes no time to move."""

from collections.abc import Sequence

from bots.budget import Budget
from bots.player import Choice
from engine.board import Board
from engine.position import Position

SCRIPT = (6, 1, 5, 0, 1, 0, 2, 3, 6, 1, 3, 4, 0, 4, 1, 0, 5, 1, 3, 2)
"""A game of 20 plies on the standard board whose last ply connects four."""

_CHOICES = tuple(Choice(column) for column in SCRIPT)


class Null:
    """A player of a fixed game of exactly 20 plies on the standard board, on either side."""

    def __init__(self, *, board: Board, side: int, seed: int, budget: Budget) -> None:
        del side, seed, budget
        self._board = board
        self._standard = board == Board(6, 7)

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the script's next column, or the leftmost legal one in other positions."""
        ply = len(moves)
        if self._standard and ply < len(SCRIPT) and tuple(moves) == SCRIPT[:ply]:
            return _CHOICES[ply]
        return Choice(Position.from_moves(self._board, moves).legal_moves()[0])
