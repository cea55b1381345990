"""The solver: exact values of positions, with one table of known bounds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.cache import cache_folder
from engine.lanes import WordArray
from engine.position import Position
from engine.solver import geometry, lanes_table, memory, word_table
from engine.solver.errors import SolverError
from engine.solver.journal import LENGTH
from engine.solver.memory import SolverMemory, SolverQuestion
from engine.solver.value import Outcome, Solution, Value

DEFAULT_TABLE_MIB = 256
MIN_TABLE_MIB = 1
MAX_TABLE_MIB = 1 << 16
NEAR_CELLS = 20
"""Positions with no more free cells are kept in a small part of the table, which stays in the
processor's cache: a miss there costs less to search again than to fetch."""
NEAR_BYTES = 1 << 19
NO_LIMIT = 1 << 62
_MIB = 1 << 20


class Solver:
    """Exact values of the positions of one board.

    What a search finds out is kept in the table and serves later searches until `clear`. Equal
    calls in equal order give equal answers and node counts.

    Raises:
        SolverError: the size of the table is out of range.

    """

    def __init__(self, board: Board, table_mib: int = DEFAULT_TABLE_MIB) -> None:
        """Have memory for the table set aside.

        Args:
            board: whose positions are solved.
            table_mib: memory of the table in MiB, rounded down to a power of two.

        """
        if not MIN_TABLE_MIB <= table_mib <= MAX_TABLE_MIB:
            raise SolverError(
                f"the table must have {MIN_TABLE_MIB}..{MAX_TABLE_MIB} MiB, got {table_mib}"
            )
        self.board = board
        self.table_mib = table_mib
        self._values: dict[tuple[int, int], Value] = {}
        """By ply and score: at most some thousands, told again and again."""
        try:
            self._memory = _memory(board, table_mib)
        except MemoryError:
            raise SolverError(f"there is no memory for a table of {table_mib} MiB") from None

    @property
    def is_compiled(self) -> bool:
        """Whether the code for this board is kept on disk, so that `prepare` only loads it."""
        name = "word" if geometry.fits_one_word(self.board) else "lanes"
        return any(cache_folder().rglob(f"kernels.solve_on_{name}-*.nbc"))

    def prepare(self) -> None:
        """Load the compiled code, or compile it: seconds that no clock of a question should see."""
        self.solve(Position(self.board), nodes=0)

    def clear(self) -> None:
        """Forget all known bounds."""
        self.scores(geometry.positions_words([], self.board), limit=0, forgets=True)

    def solve(
        self, position: Position, *, weak: bool = False, nodes: int | None = None
    ) -> Solution:
        """The value of a position for the side to move.

        Args:
            position: of this solver's board; the game goes on in it.
            weak: whether only win, draw or loss is asked, and the distance may stay open.
            nodes: the most nodes that may be visited; the answer is then bounds if need be.

        Raises:
            SolverError: the position is of another board, or over.

        """
        self._check(position)
        limit = NO_LIMIT if nodes is None else nodes
        words = geometry.positions_words([position], self.board)
        low, high, visited = self.scores(words, weak=weak, limit=limit).tolist()[0]
        return Solution(self._value(position.ply, low), self._value(position.ply, high), visited)

    def solve_all(
        self,
        positions: Sequence[Position],
        *,
        weak: bool = False,
        nodes: int | None = None,
        keep_table: bool = False,
    ) -> list[Solution]:
        """The values of positions in one call, quicker than `solve` for easy ones.

        Args:
            positions: of this solver's board; the game goes on in them.
            weak: whether only win, draw or loss is asked.
            nodes: the most nodes for each position.
            keep_table: whether the table serves from one to the next; else it is emptied before
                each.

        Raises:
            SolverError: a position is of another board, or over.

        """
        for position in positions:
            self._check(position)
        limit = NO_LIMIT if nodes is None else nodes
        words = geometry.positions_words(positions, self.board)
        told = self.scores(words, weak=weak, limit=limit, forgets=not keep_table)
        return [
            Solution(self._value(position.ply, low), self._value(position.ply, high), visited)
            for position, (low, high, visited) in zip(positions, told.tolist(), strict=True)
        ]

    def columns(
        self, position: Position, *, weak: bool = False, nodes: int | None = None
    ) -> tuple[Solution | None, ...]:
        """The value of each column for the side to move, its own ply counted; None if it is full.

        Args:
            position: of this solver's board; the game goes on in it.
            weak: whether only win, draw or loss is asked.
            nodes: the most nodes for all columns together; each may use an equal share of what
                those before it have left.

        Raises:
            SolverError: the position is of another board, or over.

        """
        self._check(position)
        left = NO_LIMIT if nodes is None else nodes
        untried = len(position.legal_moves())
        found: list[Solution | None] = []
        for column in range(self.board.columns):
            if not position.can_play(column):
                found.append(None)
                continue
            after = position.play(column)
            if after.is_over:
                found.append(solution_of_move(after, None))
            else:
                answer = self.solve(after, weak=weak, nodes=left // untried)
                left = max(0, left - answer.nodes)
                found.append(solution_of_move(after, answer))
            untried -= 1
        return tuple(found)

    def _check(self, position: Position) -> None:
        if position.board != self.board:
            raise SolverError(f"the position is on {position.board}, the solver for {self.board}")
        if position.is_over:
            raise SolverError(
                f"the game is over in {position.notation()!r}: there is no move to ask"
            )

    def scores(
        self,
        stones: WordArray,
        *,
        weak: bool = False,
        limit: int = NO_LIMIT,
        forgets: bool = False,
    ) -> NDArray[np.int64]:
        """Bounds on the scores of `engine.solver.search`, the kernel's own face.

        Args:
            stones: an array of shape (n, 2, words) from `engine.solver.geometry`; unchecked.
            weak: whether only win, draw or loss is asked.
            limit: the most nodes for each position.
            forgets: whether the table is emptied before each position, and once for none at all.

        Returns:
            An array of shape (n, 3): lower bound, upper bound and nodes.

        """
        # imported here, since it loads the compiler
        from engine.solver import kernels

        board = self.board
        solve = kernels.solve_on_lanes
        if geometry.fits_one_word(board):
            solve = kernels.solve_on_word
        symmetric = geometry.is_symmetric(board)
        question = SolverQuestion(board.cells, board.columns, symmetric, weak, forgets, limit)
        told = np.zeros((len(stones), 3), np.int64)
        solve(stones, self._memory, question, told)
        return told

    def _value(self, ply: int, score: int) -> Value:
        """The value behind a score of the search, which counts from the full board."""
        known = self._values.get((ply, score))
        if known is None:
            known = self._values[ply, score] = self._value_of(ply, score)
        return known

    def _value_of(self, ply: int, score: int) -> Value:
        if score == 0:
            return Value(Outcome.DRAW)
        outcome = Outcome.WIN if score > 0 else Outcome.LOSS
        # the winner's last stone is the first or the second of these two, by its parity
        end = self.board.cells + 2 - 2 * abs(score)
        if (end - ply) % 2 != (outcome is Outcome.WIN):
            end -= 1
        return Value(outcome, end - ply)


def solution_of_move(after: Position, answer: Solution | None) -> Solution:
    """The value of a move for the side that made it.

    Args:
        after: the position that it led to.
        answer: what is known of that position, None when the game is over in it.

    """
    if answer is not None:
        return Solution(_before(answer.high), _before(answer.low), answer.nodes)
    value = Value(Outcome.DRAW) if after.winner is None else Value(Outcome.WIN, 1)
    return Solution(value, value, 0)


def _before(value: Value) -> Value:
    """The value of a position for the side whose move led to it, one ply earlier."""
    distance = None if value.distance is None else value.distance + 1
    return Value(Outcome(-value.outcome), distance)


def _memory(board: Board, table_mib: int) -> SolverMemory:
    """Return the arrays of a search on this board.

    Raises:
        MemoryError: there is no room for them.

    """
    words = geometry.words_of(board)
    depth = board.cells + 2
    children = depth * memory.MOST_CHILDREN
    return SolverMemory(
        geometry.board_constants(board),
        np.zeros((depth * memory.SETS, words), np.uint64),
        np.zeros((depth, memory.FRAME_FIELDS), np.int64),
        np.zeros((children * memory.SETS, words), np.uint64),
        np.zeros((children, memory.CHILD_FIELDS), np.int64),
        *_table(board, table_mib),
        np.zeros(LENGTH, np.int64),
        geometry.line_counts(board),
    )


def _table(board: Board, table_mib: int) -> tuple[WordArray, WordArray]:
    """Return the table of bounds and its shape; see `SolverMemory`."""
    is_word = geometry.fits_one_word(board)
    table = word_table if is_word else lanes_table
    bits = (board.rows + 1) * board.columns if is_word else 64 * lanes_table.WORDS
    near_bits = (NEAR_BYTES // (8 * table.LINE_WORDS)).bit_length() - 1
    index = (table_mib * _MIB // (8 * table.LINE_WORDS)).bit_length() - 1
    shape = []
    for size, first in ((min(index, bits - 4), 1 << near_bits), (near_bits, 0)):
        spare = 64 - word_table.BOUND_BITS - (bits - size) if is_word else 0
        work = min(word_table.MOST_WORK_BITS, spare)
        shape.append([bits, size, work, first, NEAR_CELLS])
    lines = (1 << shape[0][1]) + (1 << near_bits)
    return np.zeros(lines * table.LINE_WORDS, np.uint64), np.array(shape, np.uint64)
