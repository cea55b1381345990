"""Iterative deepening over odd depths, in pieces of any size."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bots.c4ai.evaluate import WeightArray
from bots.c4ai.search import (
    BEST,
    CHOSEN,
    DECIDED,
    DONE,
    FIRST_DEPTH,
    NODES,
    THREAT_PLIES,
    TRIED,
    advance,
    begin,
    new_memory,
)
from engine.board import Board
from engine.lanes import stone_words
from engine.position import Position

NO_END = np.uint64(2**63)
"""More work than any search does."""


class DeepeningResult(NamedTuple):
    """The answer of iterative deepening."""

    column: int
    value: int
    """For the side to move, on the scale of `bots.c4ai.search`."""
    depth: int
    """Plies of the last search in which at least one move of the root was completed."""
    line: tuple[int, ...]
    complete: bool
    """Whether all moves of the root were searched to this depth."""


def first_depth(limit: int | None) -> int:
    """The depth of the first search: 5, or the largest odd depth within a smaller limit."""
    return FIRST_DEPTH if limit is None else min(FIRST_DEPTH, limit - 1 + limit % 2)


class Deepening:
    """Searches one position after the other, in pieces."""

    def __init__(self, board: Board, weights: WeightArray) -> None:
        self._board = board
        self._memory = new_memory(board, weights)
        # Compiles, or loads from the cache, everything that a search will call.
        self.set_position((), depth=1)
        self.advance(1 << 20)

    def set_position(self, moves: Sequence[int], *, depth: int | None) -> None:
        """Begin with the position after the moves; `depth` is the deepest search, None: no limit.

        Raises:
            IllegalMove: the moves cannot be played.

        """
        position = Position.from_moves(self._board, moves)
        self._left = self._board.cells - position.ply
        self._limit = self._left if depth is None else depth
        self._memory.stones[0] = stone_words(position)
        self._memory.work[:] = 0
        self._depth = first_depth(depth)
        begin(self._memory, self._depth, -1)
        # Until a move has been searched the one in the middle, or the forced one, must do.
        column = int(self._memory.frames[0, CHOSEN])
        self.result = DeepeningResult(column, 0, 0, (column,), complete=False)
        self._read_result()

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._memory.work[NODES])

    def advance(self, work: int) -> bool:
        """Visit `work` more positions, those of threat play included; False at the end."""
        done = int(self._memory.work[NODES] + self._memory.work[THREAT_PLIES])
        return self._run(NO_END, np.uint64(done + work))

    def visit(self, nodes: int) -> bool:
        """Visit positions until `nodes` were visited in all; False at the end."""
        return self._run(np.uint64(nodes), NO_END)

    def _run(self, nodes: np.uint64, work: np.uint64) -> bool:
        while True:
            unfinished = advance(self._memory, nodes, work)
            self._read_result()
            if unfinished:
                return True
            result = self.result
            decided = abs(result.value) >= DECIDED or self._depth >= self._left
            if decided or self._depth + 2 > self._limit:
                return False
            self._depth += 2
            begin(self._memory, self._depth, result.column)

    def _read_result(self) -> None:
        done = bool(self._memory.state[DONE])
        if not done and not self._memory.state[TRIED]:
            return
        frame, line = self._memory.frames[0], self._memory.lines[0]
        plies = int(np.argmin(line))
        self.result = DeepeningResult(
            column=int(frame[CHOSEN]),
            value=int(frame[BEST]),
            depth=min(self._depth, self._left),
            line=tuple(int(column) for column in line[:plies]),
            complete=done,
        )
