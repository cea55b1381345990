"""Games between two sets of weights at a fixed depth, within this process."""

from collections.abc import Sequence

import numpy as np

from bots.c4ai.player import Deepening, weight_array
from bots.c4ai.weights import Weights
from engine.board import Board
from engine.position import Position


class Selfplay:
    """A player of games on one board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._weights = np.zeros(6, np.int64)
        self._search = Deepening(board, self._weights)

    def play(self, first: Weights, second: Weights, *, opening: Sequence[int], depth: int) -> int:
        """Play a game; return 1, 0 or -1 for the side that moves first on the empty board.

        Args:
            first: weights of that side.
            second: weights of the other side.
            opening: columns with which the game begins.
            depth: search depth of both, in plies.

        """
        weights = weight_array(first), weight_array(second)
        position = Position.from_moves(self._board, opening)
        while not position.is_over:
            self._weights[:] = weights[position.to_move]
            self._search.set_position(position.moves, depth=depth)
            self._search.finish()
            position = position.play(self._search.result.column)
        return 0 if position.winner is None else 1 - 2 * position.winner
