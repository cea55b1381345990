"""The player c4ai: iterative deepening over odd depths that can pause anywhere."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from bots.budget import Budget
from bots.c4ai import search as kernel
from bots.c4ai.evaluate import WeightArray
from bots.c4ai.threat_race import new_cache
from bots.c4ai.weights import Options, Weights, find_weights
from bots.move_budget import spend
from bots.options import read_options
from bots.player import Choice, Info, TimedPlayer
from engine.arrays import board_words, stone_words
from engine.board import Board
from engine.layout import MAX_SIDE
from engine.position import Position

CLOCK_SHARE = 0.95
"""Share of the move time that is used."""
HALF_WON = 1000
"""Static value that is reported as 0.5; the published weight of a probable win is 936."""
NO_END = np.uint64(2**63)
"""More work than any search needs."""


def weight_array(weights: Weights) -> WeightArray:
    """Return the weights as an array for kernels, shape (6,)."""
    return np.array(weights, np.int64)


def new_memory(board: Board, weights: WeightArray) -> kernel.SearchMemory:
    """Allocate the memory of searches on a board."""
    middle = (board.columns - 1) / 2
    order = sorted(range(board.columns), key=lambda column: (abs(column - middle), column))
    size = board.cells + 2
    return kernel.SearchMemory(
        board=board_words(board),
        order=np.array(order, np.int64),
        weights=weights,
        stones=np.zeros((size, 2, 3), np.uint64),
        frames=np.zeros((size, kernel.MOVES + MAX_SIDE), np.int64),
        lines=np.full((size + 1, size + 1), -1, np.int64),
        killers=np.full(size, -1, np.int64),
        state=np.zeros(4, np.int64),
        work=np.zeros(2, np.uint64),
        cache=new_cache(),
    )


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
    return kernel.FIRST_DEPTH if limit is None else min(kernel.FIRST_DEPTH, limit - 1 + limit % 2)


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
        kernel.begin(self._memory, self._depth, -1)
        # Until a move is searched, the result is the middle column or the forced one.
        column = int(self._memory.frames[0, kernel.CHOSEN])
        self.result = DeepeningResult(column, 0, 0, (column,), complete=False)
        self._read_result()

    @property
    def nodes(self) -> int:
        """Number of positions visited so far."""
        return int(self._memory.work[kernel.NODES])

    def advance(self, work: int) -> bool:
        """Visit `work` more positions, including threat races; return False when finished."""
        done = int(self._memory.work[kernel.NODES] + self._memory.work[kernel.THREAT_PLIES])
        return self._run(NO_END, np.uint64(done + work))

    def visit(self, nodes: int) -> bool:
        """Visit positions up to a total of `nodes`; return False when finished."""
        return self._run(np.uint64(nodes), NO_END)

    def finish(self) -> None:
        """Search to the end of the last depth."""
        self._run(NO_END, NO_END)

    def _run(self, nodes: np.uint64, work: np.uint64) -> bool:
        while True:
            unfinished = kernel.advance(self._memory, nodes, work)
            self._read_result()
            if unfinished:
                return True
            result = self.result
            decided = abs(result.value) >= kernel.DECIDED or self._depth >= self._left
            if decided or self._depth + 2 > self._limit:
                return False
            self._depth += 2
            kernel.begin(self._memory, self._depth, result.column)

    def _read_result(self) -> None:
        done = bool(self._memory.state[kernel.DONE])
        if not done and not self._memory.state[kernel.TRIED]:
            return
        frame, line = self._memory.frames[0], self._memory.lines[0]
        plies = int(np.argmin(line))
        self.result = DeepeningResult(
            column=int(frame[kernel.CHOSEN]),
            value=int(frame[kernel.BEST]),
            depth=min(self._depth, self._left),
            line=tuple(int(column) for column in line[:plies]),
            complete=done,
        )


class C4ai(TimedPlayer):
    """One side of one game. Under a work budget the choices depend only on the moves."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side, seed
        self._budget = budget
        self._cells = board.cells
        weights = find_weights(read_options(Options, options).weights)
        self._search = Deepening(board, weight_array(weights))

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column of the deepest search that the budget allows."""
        started = self.now()
        search, budget = self._search, self._budget
        search.set_position(moves, depth=budget.depth)
        if budget.nodes is not None:
            search.visit(budget.nodes)
        elif budget.depth is not None:
            search.finish()
        else:
            spend(search, budget, share=CLOCK_SHARE, started=started, now=self.now)
        return _answer(search.result, search.nodes, self._cells - len(moves))


def _answer(result: DeepeningResult, nodes: int, left: int) -> Choice:
    proven: Literal["win", "loss", "draw"] | None = None
    distance = None
    value = result.value / (HALF_WON + abs(result.value))
    if result.value >= kernel.DECIDED:
        proven, value, distance = "win", 1.0, kernel.WON - result.value
    elif result.value <= -kernel.DECIDED and result.complete:
        proven, value, distance = "loss", -1.0, kernel.WON + result.value
    elif result.complete and result.depth == left:
        proven, value = "draw", 0.0
    return Choice(
        result.column,
        Info(
            nodes=nodes,
            depth=result.depth,
            value=value,
            proven=proven,
            distance=distance,
            pv=result.line,
        ),
    )


class Selfplay:
    """A player of games between two sets of weights at a fixed depth, on one board."""

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
