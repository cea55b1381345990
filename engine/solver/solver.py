"""The solver: exact values of positions, with a transposition table."""

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
"""Positions with at most this many free cells are stored in a small part of the table that fits in
the processor's cache: searching such a position again is faster than fetching it from memory."""
NEAR_BYTES = 1 << 19
NO_LIMIT = 1 << 62
_MIB = 1 << 20


class Solver:
    """A solver of the positions of one board.

    Results stay in the table for later searches until `clear`. Equal sequences of calls give equal
    results and node counts.

    Raises:
        SolverError: the table size is out of range.

    """

    def __init__(self, board: Board, table_mib: int = DEFAULT_TABLE_MIB) -> None:
        """Allocate the table.

        Args:
            board: the board of all positions.
            table_mib: memory of the table in MiB, rounded down to a power of two.

        """
        if not MIN_TABLE_MIB <= table_mib <= MAX_TABLE_MIB:
            raise SolverError(
                f"the table must have {MIN_TABLE_MIB}..{MAX_TABLE_MIB} MiB, got {table_mib}"
            )
        self.board = board
        self.table_mib = table_mib
        self._values: dict[tuple[int, int], Value] = {}
        """Values by ply and score, at most some thousands."""
        try:
            self._memory = _memory(board, table_mib)
        except MemoryError:
            raise SolverError(
                f"not enough memory for a table of {table_mib} MiB: ask for a smaller one"
            ) from None

    @property
    def is_compiled(self) -> bool:
        """Whether the kernels for this board are in the disk cache."""
        name = "word" if geometry.fits_one_word(self.board) else "lanes"
        return any(cache_folder().rglob(f"kernels.solve_on_{name}-*.nbc"))

    def prepare(self) -> None:
        """Load or compile the kernels, which takes seconds, before the first search is timed."""
        self.solve(Position(self.board), nodes=0)

    def clear(self) -> None:
        """Clear the table."""
        self.scores(geometry.positions_words([], self.board), limit=0, clears=True)

    def solve(
        self,
        position: Position,
        *,
        weak: bool = False,
        nodes: int | None = None,
        within: int | None = None,
    ) -> Solution:
        """Return the value of a position for the side to move.

        Args:
            position: a position of this solver's board that is not over.
            weak: whether only win, draw or loss is wanted, not the distance.
            nodes: node limit; when it is reached the result is bounds.
            within: the plies within which an end is searched; later ends give bounds. None for all.

        Raises:
            SolverError: the position is over or belongs to another board.

        """
        self._check(position)
        limit = NO_LIMIT if nodes is None else nodes
        words = geometry.positions_words([position], self.board)
        low, high, visited = self.scores(words, weak=weak, limit=limit, within=within).tolist()[0]
        return Solution(self._value(position.ply, low), self._value(position.ply, high), visited)

    def solve_all(
        self,
        positions: Sequence[Position],
        *,
        weak: bool = False,
        nodes: int | None = None,
        keep_table: bool = False,
    ) -> list[Solution]:
        """Return the values of positions in one call, which is faster than `solve` for easy ones.

        Args:
            positions: positions of this solver's board that are not over.
            weak: whether only win, draw or loss is wanted.
            nodes: node limit for each position.
            keep_table: whether to keep the table between positions, instead of clearing it before
                each.

        Raises:
            SolverError: a position is over or belongs to another board.

        """
        for position in positions:
            self._check(position)
        limit = NO_LIMIT if nodes is None else nodes
        words = geometry.positions_words(positions, self.board)
        answers = self.scores(words, weak=weak, limit=limit, clears=not keep_table)
        return [
            Solution(self._value(position.ply, low), self._value(position.ply, high), visited)
            for position, (low, high, visited) in zip(positions, answers.tolist(), strict=True)
        ]

    def columns(
        self, position: Position, *, weak: bool = False, nodes: int | None = None
    ) -> tuple[Solution | None, ...]:
        """Return each column's value for the side to move, None for a full column.

        Args:
            position: a position of this solver's board that is not over.
            weak: whether only win, draw or loss is wanted.
            nodes: node limit for all columns together; each may use an equal share of the rest.

        Raises:
            SolverError: the position is over or belongs to another board.

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
            raise SolverError(
                f"the position is on {position.board}, but the solver is for {self.board}"
            )
        if position.is_over:
            raise SolverError(
                f"the game is over in {position.notation()!r}: there is no move to solve"
            )

    def scores(
        self,
        stones: WordArray,
        *,
        weak: bool = False,
        limit: int = NO_LIMIT,
        clears: bool = False,
        within: int | None = None,
    ) -> NDArray[np.int64]:
        """Return bounds on scores as `engine.solver.search` defines them: the kernel's raw result.

        Args:
            stones: shape (n, 2, words), from `engine.solver.geometry`; not checked.
            weak: whether only win, draw or loss is wanted.
            limit: node limit for each position.
            clears: whether to clear the table before each position.
            within: the plies within which an end is searched; None for all.

        Returns:
            Lower bound, upper bound and nodes, shape (n, 3).

        """
        # imported here because it loads the compiler
        from engine.solver import kernels

        board = self.board
        solve = kernels.solve_on_lanes
        if geometry.fits_one_word(board):
            solve = kernels.solve_on_word
        symmetric = geometry.is_symmetric(board)
        horizon = board.cells if within is None else within
        question = SolverQuestion(
            board.cells, board.columns, symmetric, weak, clears, limit, horizon
        )
        answers = np.zeros((len(stones), 3), np.int64)
        solve(stones, self._memory, question, answers)
        return answers

    def _value(self, ply: int, score: int) -> Value:
        """Convert a score of the search, which counts from the full board, to a value."""
        known = self._values.get((ply, score))
        if known is None:
            known = self._values[ply, score] = self._value_of(ply, score)
        return known

    def _value_of(self, ply: int, score: int) -> Value:
        if score == 0:
            return Value(Outcome.DRAW)
        outcome = Outcome.WIN if score > 0 else Outcome.LOSS
        # the winner's last stone is one of these two plies, depending on parity
        end = self.board.cells + 2 - 2 * abs(score)
        if (end - ply) % 2 != (outcome is Outcome.WIN):
            end -= 1
        return Value(outcome, end - ply)


def solution_of_move(after: Position, answer: Solution | None) -> Solution:
    """Return the value of a move for the side that made it.

    Args:
        after: the position after the move.
        answer: the solution of that position, None if the game is over.

    """
    if answer is not None:
        return Solution(_before(answer.high), _before(answer.low), answer.nodes)
    value = Value(Outcome.DRAW) if after.winner is None else Value(Outcome.WIN, 1)
    return Solution(value, value, 0)


def _before(value: Value) -> Value:
    """Return a value for the side whose move led to the position, one ply earlier."""
    distance = None if value.distance is None else value.distance + 1
    return Value(Outcome(-value.outcome), distance)


def _memory(board: Board, table_mib: int) -> SolverMemory:
    """Return the arrays of a search on this board.

    Raises:
        MemoryError: there is not enough memory.

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
    """Return the transposition table and its shape; see `SolverMemory`."""
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
