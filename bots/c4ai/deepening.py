"""Iterative deepening over odd depths that can pause anywhere."""

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
"""More work than any search needs."""


class DeepeningResult(NamedTuple):
    """The result of iterative deepening."""

    column: int
    value: int
    """Value for the side to move, on the scale of `bots.c4ai.search`."""
    depth: int
    """Depth of the last search that completed at least one root move, in plies."""
    line: tuple[int, ...]
    complete: bool
    """Whether all root moves were searched to this depth."""


def first_depth(limit: int | None) -> int:
    """Return the depth of the first search: 5, or the largest odd depth below a smaller limit."""
    return FIRST_DEPTH if limit is None else min(FIRST_DEPTH, limit - 1 + limit % 2)


class Deepening:
    """A search of one position after another that can pause anywhere."""

    def __init__(self, board: Board, weights: WeightArray) -> None:
        self._board = board
        self._memory = new_memory(board, weights)
        # Compile or load everything that a search calls.
        self.set_position((), depth=1)
        self.advance(1 << 20)

    def set_position(self, moves: Sequence[int], *, depth: int | None) -> None:
        """Begin to search the position after the moves, up to `depth` plies (None: no limit).

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
        # Until a move is searched, the result is the middle column or the forced one.
        column = int(self._memory.frames[0, CHOSEN])
        self.result = DeepeningResult(column, 0, 0, (column,), complete=False)
        self._read_result()

    @property
    def nodes(self) -> int:
        """Number of positions visited so far."""
        return int(self._memory.work[NODES])

    def advance(self, work: int) -> bool:
        """Visit `work` more positions, including threat races; return False when finished."""
        done = int(self._memory.work[NODES] + self._memory.work[THREAT_PLIES])
        return self._run(NO_END, np.uint64(done + work))

    def visit(self, nodes: int) -> bool:
        """Visit positions up to a total of `nodes`; return False when finished."""
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
