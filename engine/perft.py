"""Perft: the number of legal move sequences, the standard test of a move generator."""

from dataclasses import dataclass

import numpy as np

from engine import lanes, vector
from engine.arrays import board_words, stone_words
from engine.bits import ONE, ZERO, popcount64
from engine.board import Board
from engine.compiled import kernel
from engine.position import Position


@dataclass(frozen=True, slots=True)
class Perft:
    """Counts of move sequences from the empty board; both tuples have depth + 1 entries."""

    board: Board
    counts: tuple[int, ...]
    """Entry d: number of legal sequences of d moves; a game ends with a four."""
    wins: tuple[int, ...]
    """Entry d: number of those whose last move connects four."""


def perft(board: Board, depth: int) -> Perft:
    """Count all legal move sequences of up to `depth` plies.

    Raises:
        ValueError: the depth is negative.

    """
    if depth < 0:
        raise ValueError(f"the depth must be 0 or more, got {depth}")
    counts = np.zeros(depth + 1, np.uint64)
    wins = np.zeros(depth + 1, np.uint64)
    counts[0] = 1
    if depth:
        # no sequence is longer than the board has cells
        _count(
            stone_words(Position(board)),
            board_words(board),
            min(depth, board.cells),
            counts,
            wins,
        )
    return Perft(board, tuple(counts.tolist()), tuple(wins.tolist()))


@kernel
def _count(
    stones: lanes.WordArray,
    board: lanes.WordArray,
    depth: int,
    counts: lanes.WordArray,
    wins: lanes.WordArray,
) -> None:
    """Add the sequences of 1 to `depth` moves from a position without a four.

    The last level is counted, not played: each landing cell is a sequence, and a winning one if it
    is in the mover's threat map.
    """
    bottoms, cells = vector.load(board, lanes.BOTTOMS), vector.load(board, lanes.CELLS)
    forbidden = vector.load(board, lanes.FORBIDDEN)
    movers = np.zeros((depth, lanes.WORDS), np.uint64)
    others = np.zeros((depth, lanes.WORDS), np.uint64)
    landings = np.zeros((depth, lanes.WORDS), np.uint64)
    untried = np.zeros(depth, np.uint64)  # columns, one bit each
    movers[0] = stones[lanes.MOVER]
    others[0] = stones[lanes.OPPONENT]
    ply = 0
    entering = True
    while ply >= 0:
        own, other = vector.load(movers, ply), vector.load(others, ply)
        if entering:
            landing = vector.playable(own | other | forbidden, bottoms, cells)
            free = vector.columns_of(landing)
            winning = vector.columns_of(landing & vector.threats(own))
            counts[ply + 1] += popcount64(free)
            wins[ply + 1] += popcount64(winning)
            vector.store(landings, ply, landing)
            untried[ply] = free ^ winning if ply + 1 < depth else ZERO
        columns = untried[ply]
        if columns == ZERO:
            ply -= 1
            entering = False
        else:
            untried[ply] = columns & (columns - ONE)
            choice = vector.in_columns(vector.load(landings, ply), columns & (ZERO - columns))
            ply += 1
            vector.store(movers, ply, other)
            vector.store(others, ply, own | choice)
            entering = True
