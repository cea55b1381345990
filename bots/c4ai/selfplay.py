"""Games between two sets of weights at a fixed depth, without clocks and without processes."""

from collections.abc import Callable, Sequence

import numpy as np

from bots.c4ai.deepening import NO_END, first_depth
from bots.c4ai.evaluate import WeightArray, weight_array
from bots.c4ai.search import BEST, CHOSEN, DECIDED, Tree, advance, begin, new_tree
from bots.c4ai.weights import Weights
from engine.bits import ONE
from engine.board import Board
from engine.compiled import kernel
from engine.lanes import (
    BOTTOMS,
    CELLS,
    FORBIDDEN,
    MOVER,
    OPPONENT,
    any_cell,
    connects,
    either,
    in_columns,
    load,
    playable,
    stone_words,
    store,
    without,
)
from engine.position import Position

GOES_ON, WON_NOW, FULL = range(3)
"""What a move leads to."""


@kernel
def play_move(tree: Tree, weights: WeightArray, first: int, depth: int) -> int:
    """Play the move of c4ai with these weights; says what it leads to.

    Args:
        tree: the position to move in, in the first row of `stones`, which becomes the next one.
        weights: shape (6,), of the side to move.
        first: depth of the first search.
        depth: that of the last.

    """
    tree.weights[:] = weights
    column = -1
    reached = first
    while True:
        begin(tree, reached, column)
        advance(tree, NO_END, NO_END)
        column = tree.frames[0, CHOSEN]
        reached += 2
        if reached > depth or abs(tree.frames[0, BEST]) >= DECIDED:
            break
    mover, opponent = load(tree.stones[0], MOVER), load(tree.stones[0], OPPONENT)
    cells, bottoms = load(tree.board, CELLS), load(tree.board, BOTTOMS)
    occupied = either(either(mover, opponent), load(tree.board, FORBIDDEN))
    landing = playable(occupied, bottoms, cells)
    mover = either(mover, in_columns(landing, ONE << np.uint64(column)))
    store(tree.stones[0], MOVER, opponent)
    store(tree.stones[0], OPPONENT, mover)
    if connects(mover):
        return WON_NOW
    return GOES_ON if any_cell(without(cells, either(mover, opponent))) else FULL


class Interrupted(Exception):
    """The caller wished a game to stop."""


class Selfplay:
    """Plays games on one board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._tree = new_tree(board, np.zeros(6, np.int64))

    def play(
        self,
        first: Weights,
        second: Weights,
        *,
        opening: Sequence[int],
        depth: int,
        stopped: Callable[[], bool] = lambda: False,
    ) -> int:
        """The result for the side that moves first on the board: 1, 0 or -1.

        Args:
            first: the weights of that side.
            second: those of the other.
            opening: the columns with which the game begins.
            depth: plies that both look ahead.
            stopped: asked before every move.

        Raises:
            Interrupted: `stopped` said so.

        """
        weights = weight_array(first), weight_array(second)
        self._tree.stones[0] = stone_words(Position.from_moves(self._board, opening))
        side = len(opening) & 1
        while not stopped():
            outcome = play_move(self._tree, weights[side], first_depth(depth), depth)
            if outcome == WON_NOW:
                return 1 - 2 * side
            if outcome == FULL:
                return 0
            side = 1 - side
        raise Interrupted
