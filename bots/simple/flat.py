"""Flat Monte Carlo: random games after every legal move, without a tree."""

from collections.abc import Sequence

import numpy as np

from bots.array_board import PLAYABLE
from bots.array_position import lay_out
from bots.budget import Budget
from bots.move_budget import spend
from bots.player import Choice, Info, TimedPlayer
from bots.simple.sampling import sample
from engine.bits import state_of_move
from engine.board import Board

CLOCK_SHARE = 0.95
"""Share of the move time that is used."""


class FlatMonteCarlo(TimedPlayer):
    """A player of the column with the highest sum of results of random games."""

    def __init__(self, *, board: Board, side: int, seed: int, budget: Budget) -> None:
        self._board = board
        self._side = side
        self._seed = seed
        self._budget = budget
        # With a move on the board, so that every kernel is compiled before the clock runs.
        _ColumnSums(board, (0,), state_of_move(0, 0, 0)).advance(1)

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column, the leftmost of equals."""
        started = self.now()
        sums = _ColumnSums(
            self._board, tuple(moves), state_of_move(self._seed, self._side, len(moves))
        )
        spend(sums, self._budget, share=CLOCK_SHARE, started=started, now=self.now)
        return sums.choice()


class _ColumnSums:
    """The random games of one move."""

    def __init__(self, board: Board, moves: tuple[int, ...], random: np.uint64) -> None:
        self._side = len(moves) & 1
        self._start = lay_out(board, moves)
        self._sums = np.zeros(board.columns, np.int64)
        self._games = np.zeros(board.columns, np.int64)
        self._random = random

    def advance(self, simulations: int) -> bool:
        self._random = sample(
            *self._start, self._side, self._sums, self._games, self._random, simulations
        )
        # As a Python integer it would compile the kernel for another signature.
        self._random = np.uint64(self._random)
        return True

    def choice(self) -> Choice:
        legal = [c for c in range(len(self._sums)) if self._start[2][PLAYABLE] >> c & 1]
        best = max(legal, key=lambda column: (self._sums[column], -column))
        games = int(self._games.sum())
        value = float(self._sums[best] / self._games[best]) if self._games[best] else 0.0
        return Choice(int(best), Info(simulations=games, value=value, depth=1, pv=(int(best),)))
