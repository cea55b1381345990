"""Players that consider only which columns are legal, and the one of the harness's benchmark."""

from collections.abc import Sequence

from bots.budget import Budget
from bots.player import Choice
from engine.board import Board
from engine.position import Position
from engine.seeds import SplitMix, mix


class Stupid:
    """A player of the leftmost legal column."""

    def __init__(self, *, board: Board, side: int, seed: int, budget: Budget) -> None:
        del side, seed, budget
        self._board = board

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the leftmost legal column."""
        return Choice(Position.from_moves(self._board, moves).legal_moves()[0])


class Random:
    """A player of random legal columns, drawn from the game's seed, the side and the ply."""

    def __init__(self, *, board: Board, side: int, seed: int, budget: Budget) -> None:
        del budget
        self._board = board
        self._side = side
        self._seed = seed

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return a random legal column."""
        legal = Position.from_moves(self._board, moves).legal_moves()
        return Choice(SplitMix(mix(self._seed, self._side, len(moves))).choice(legal))


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
