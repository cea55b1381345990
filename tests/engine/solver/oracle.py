"""Values of positions by full search, without the solver."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver.value import Outcome, Value

Stones = tuple[int, int]


class Oracle:
    """The values of the positions of one board, by recursion."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.values: dict[Stones, Value] = {}

    def value(self, position: Position) -> Value:
        """Return the value of a position that is not over, for the side to move."""
        known = self.values.get(position.stones)
        if known is None:
            after = [position.play(column) for column in position.legal_moves()]
            # No value is above a win at once: what follows the other moves does not matter.
            wins = [each for each in after if each.winner is not None]
            known = max(map(self._value_before, wins or after))
            self.values[position.stones] = known
        return known

    def value_of_move(self, position: Position, column: int) -> Value:
        """Return the value of a move for the side that makes it."""
        return self._value_before(position.play(column))

    def _value_before(self, after: Position) -> Value:
        """Return the value of a position for the side whose move led to it."""
        if after.winner is not None:
            return Value(Outcome.WIN, 1)
        if after.is_over:
            return Value(Outcome.DRAW)
        value = self.value(after)
        distance = None if value.distance is None else value.distance + 1
        return Value(Outcome(-value.outcome), distance)


@cache
def oracle_of(board: Board) -> Oracle:
    """Return the values of a board's positions, found once for all tests of a process."""
    return Oracle(board)


def random_position(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a position after random plies that is not over."""
    while True:
        position = Position(board)
        while position.ply < plies and not position.is_over:
            position = position.play(random.choice(position.legal_moves()))
        if not position.is_over:
            return position


def quiet_position(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a position after random plies of which none has won."""
    position = Position(board)
    while position.ply < plies:
        after = [position.play(column) for column in position.legal_moves()]
        quiet = [choice for choice in after if not choice.is_over]
        position = random.choice(quiet) if quiet else Position(board)
    return position


WIN_IN_0 = 100
"""A win in n plies has this value less n, a loss the negative of that, a draw 0."""


@dataclass(frozen=True)
class EveryPosition:
    """All positions of a board that are not over, with their values for the side to move."""

    movers: NDArray[np.uint64]
    """Stones of the side to move, bit (rows + 1) * column + row."""
    others: NDArray[np.uint64]
    plies: NDArray[np.int64]
    values: NDArray[np.int64]


def every_position(board: Board) -> EveryPosition:
    """Return all positions of a board of at most 32 bits with their values.

    A layer has a row for each position of a ply and a column for each move; `next_row` is the row
    of the position after the move, or -1 if `value` has the value of the move.
    """
    stride = board.rows + 1
    lines = _fours(board)
    forbidden = 0
    if board.forbidden is not None:
        forbidden = 1 << (stride * board.forbidden[1] + board.forbidden[0])
    positions, layers = [(np.zeros(1, np.uint64), np.zeros(1, np.uint64))], []
    while len(positions[-1][0]):
        mover, other = positions[-1]
        occupied = mover | other | np.uint64(forbidden)
        codes = np.zeros((len(mover), board.columns), np.uint64)
        goes_on = np.zeros(codes.shape, bool)
        values = np.full(codes.shape, -WIN_IN_0)
        is_last = len(positions) == board.cells
        for column in range(board.columns):
            cell = np.zeros(len(mover), np.uint64)
            for row in reversed(range(board.rows)):
                bit = np.uint64(1 << (stride * column + row))
                cell[occupied & bit == 0] = bit
            after = mover | cell
            is_won = np.zeros(len(mover), bool)
            for line in lines:
                is_won |= after & line == line
            is_legal = cell != 0
            values[is_legal & is_won, column] = WIN_IN_0 - 1
            values[is_legal & ~is_won, column] = 0
            goes_on[:, column] = is_legal & ~is_won & (not is_last)
            codes[:, column] = other | after << np.uint64(32)
        found, rows = np.unique(codes[goes_on], return_inverse=True)
        next_row = np.full(codes.shape, -1)
        next_row[goes_on] = rows
        layers.append((next_row, values))
        positions.append((found & np.uint64(2**32 - 1), found >> np.uint64(32)))
    best = np.zeros(0, np.int64)
    of_plies = []
    for next_row, values in reversed(layers):
        if len(best):
            after_move = -best + np.sign(best)
            values[next_row >= 0] = after_move[next_row[next_row >= 0]]
        best = values.max(axis=1)
        of_plies.append(best)
    return EveryPosition(
        np.concatenate([mover for mover, _ in positions[:-1]]),
        np.concatenate([other for _, other in positions[:-1]]),
        np.repeat(np.arange(len(layers)), [len(mover) for mover, _ in positions[:-1]]),
        np.concatenate(of_plies[::-1]),
    )


def _fours(board: Board) -> list[np.uint64]:
    """Return the fours of a board, each as a set of four bits."""
    fours = []
    for row in range(board.rows):
        for column in range(board.columns):
            for up, right in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                cells = [(row + up * step, column + right * step) for step in range(4)]
                if all(
                    0 <= r < board.rows and c < board.columns and (r, c) != board.forbidden
                    for r, c in cells
                ):
                    fours.append(np.uint64(sum(1 << ((board.rows + 1) * c + r) for r, c in cells)))
    return fours
