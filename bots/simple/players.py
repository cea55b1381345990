"""Players that consider only which columns are legal."""

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
