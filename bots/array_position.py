"""A position on the array board of `bots.array_board`."""

import numpy as np

from bots.array_board import PLAYABLE, WALL, WIDTH, Cells, State, Tops, play
from engine.board import Board


def lay_out(board: Board, moves: tuple[int, ...]) -> tuple[Cells, Tops, State]:
    """Return a position's cells, landing rows (indices into the padded cells) and column sets."""
    cells = np.full(WIDTH * WIDTH, WALL, np.int8)
    for row in range(board.rows):
        for column in range(board.columns):
            if (row, column) != board.forbidden:
                cells[(row + 3) * WIDTH + column + 3] = 0
    tops = np.zeros(WIDTH, np.int64)
    state = np.zeros(3, np.int64)
    for column in range(board.columns):
        landing = int(board.forbidden == (0, column))
        tops[column + 3] = (landing + 3) * WIDTH + column + 3
        state[PLAYABLE] |= 1 << column
    for ply, column in enumerate(moves):
        play(cells, tops, state, column, ply & 1)
    return cells, tops, state
