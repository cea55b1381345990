"""Games between two sets of weights at a fixed depth, within this process."""

from collections.abc import Sequence

import numpy as np

from bots.c4ai.deepening import NO_END, first_depth
from bots.c4ai.evaluate import WeightArray, weight_array
from bots.c4ai.search import BEST, CHOSEN, DECIDED, SearchMemory, advance, begin, new_memory
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

ONGOING, WON_NOW, FULL = range(3)
"""States of a game after a move."""


@kernel
def play_move(memory: SearchMemory, weights: WeightArray, first: int, depth: int) -> int:
    """Play c4ai's move with these weights; return `ONGOING`, `WON_NOW` or `FULL`.

    Args:
        memory: the position in the first row of `stones`, which is replaced by the next one.
        weights: the weights of the side to move, shape (6,).
        first: depth of the first search.
        depth: depth of the last search.

    """
    memory.weights[:] = weights
    column = -1
    reached = first
    while True:
        begin(memory, reached, column)
        advance(memory, NO_END, NO_END)
        column = memory.frames[0, CHOSEN]
        reached += 2
        if reached > depth or abs(memory.frames[0, BEST]) >= DECIDED:
            break
    mover, opponent = load(memory.stones[0], MOVER), load(memory.stones[0], OPPONENT)
    cells, bottoms = load(memory.board, CELLS), load(memory.board, BOTTOMS)
    occupied = either(either(mover, opponent), load(memory.board, FORBIDDEN))
    landing = playable(occupied, bottoms, cells)
    mover = either(mover, in_columns(landing, ONE << np.uint64(column)))
    store(memory.stones[0], MOVER, opponent)
    store(memory.stones[0], OPPONENT, mover)
    if connects(mover):
        return WON_NOW
    return ONGOING if any_cell(without(cells, either(mover, opponent))) else FULL


class Selfplay:
    """A player of games on one board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._memory = new_memory(board, np.zeros(6, np.int64))

    def play(self, first: Weights, second: Weights, *, opening: Sequence[int], depth: int) -> int:
        """Play a game; return 1, 0 or -1 for the side that moves first on the empty board.

        Args:
            first: weights of that side.
            second: weights of the other side.
            opening: columns with which the game begins.
            depth: search depth of both, in plies.

        """
        weights = weight_array(first), weight_array(second)
        self._memory.stones[0] = stone_words(Position.from_moves(self._board, opening))
        side = len(opening) & 1
        while True:
            outcome = play_move(self._memory, weights[side], first_depth(depth), depth)
            if outcome == WON_NOW:
                return 1 - 2 * side
            if outcome == FULL:
                return 0
            side = 1 - side
