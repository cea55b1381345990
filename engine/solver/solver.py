"""The solver: exact values of positions, with a transposition table."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from engine.arrays import LINE_BYTES, aligned
from engine.board import Board
from engine.kernel_keys import kernel_folder
from engine.lanes import WordArray
from engine.position import Position
from engine.position_key import key_of
from engine.solver import geometry, memory, wide_table, word_table
from engine.solver.book import Book, book_of, plies_of
from engine.solver.memory import JOURNAL_LENGTH, NO_GUESS, SolverMemory, SolverQuestion
from engine.solver.sharing import MARKS
from engine.solver.value import Outcome, Solution, SolverError, Value
from engine.solver.windows import solve_on_wide, solve_on_word

DEFAULT_TABLE_MIB = 256
MIN_TABLE_MIB = 1
MAX_TABLE_MIB = 1 << 16
NEAR_CELLS = 20
"""Positions with at most this many free cells are stored in a small part of the table that fits in
the processor's cache: searching such a position again is faster than fetching it from memory."""
NEAR_BYTES = 1 << 19
SPLIT_CELLS = 24
"""Threads share out the children of nodes with more free cells. Smaller searches take less than a
millisecond, and sharing these out would cost more than it saves."""
ALONE_NODES = 50_000
"""Nodes that one thread searches before others join: some ten milliseconds."""
NO_LIMIT = 1 << 62
_MIB = 1 << 20


class Solver:
    """A solver of the positions of one board.

    Results stay in the table for later searches until `clear`. Equal sequences of calls give equal
    results. They also give equal node counts, unless several threads searched.

    Raises:
        SolverError: the table size is out of range, or the book's file is damaged.

    """

    def __init__(
        self,
        board: Board,
        table_mib: int = DEFAULT_TABLE_MIB,
        threads: int = 1,
        *,
        book: Book | None = None,
    ) -> None:
        """Allocate the table.

        Args:
            board: the board of all positions.
            table_mib: memory of the table in MiB, rounded down to a power of two.
            threads: threads of a long search; a search with a node limit has one.
            book: exact scores that are not searched again; None for those of `book_of`.

        """
        if not MIN_TABLE_MIB <= table_mib <= MAX_TABLE_MIB:
            raise SolverError(
                f"the table must have {MIN_TABLE_MIB}..{MAX_TABLE_MIB} MiB, got {table_mib}"
            )
        self.board = board
        self.table_mib = table_mib
        self.book = book_of(board) if book is None else book
        self._everything = SolverQuestion(
            total=board.cells,
            columns=board.columns,
            is_symmetric=geometry.is_symmetric(board),
            is_weak=False,
            clears=False,
            limit=NO_LIMIT,
            horizon=board.cells,
            split=board.cells,
            guess=NO_GUESS,
        )
        """The question for the exact value, without a limit."""
        self._values: dict[tuple[int, int], Value] = {}
        """Values by ply and score, at most some thousands."""
        try:
            self._memories = _memories(board, table_mib, threads)
        except MemoryError:
            raise SolverError(
                f"not enough memory for a table of {table_mib} MiB: ask for a smaller one"
            ) from None

    @property
    def is_compiled(self) -> bool:
        """Whether the kernels for this board are in the disk cache."""
        name = "word" if geometry.fits_one_word(self.board) else "wide"
        return any(kernel_folder(solve_on_word.__module__).glob(f"windows.solve_on_{name}-*.nbc"))

    def prepare(self) -> None:
        """Load or compile the kernels, which takes seconds, before the first search is timed."""
        nothing = geometry.positions_words([], self.board)
        self._search(nothing, self._everything)

    def map_table(self) -> None:
        """Have all memory of the table mapped, so that the first search does not wait for it."""
        self._memories[0].known.fill(0)

    def clear(self) -> None:
        """Clear the table."""
        nothing = geometry.positions_words([], self.board)
        for thread in range(len(self._memories)):
            self._search(nothing, self._everything._replace(clears=True), thread)

    def stop(self, *, is_requested: bool = True) -> None:
        """Let searches in other threads end soon, and later ones at once, with bounds.

        Args:
            is_requested: False to allow searches again.

        """
        self._memories[0].stop[0] = is_requested

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
        question = self._everything._replace(
            is_weak=weak,
            limit=NO_LIMIT if nodes is None else nodes,
            horizon=self.board.cells if within is None else within,
        )
        return self.solution(position.ply, *self._solve(position, question))

    def _solve(self, position: Position, question: SolverQuestion) -> tuple[int, int, int]:
        """Return bounds on the score of a position, and the nodes, perhaps with all threads."""
        words = geometry.positions_words([position], self.board)
        threads = range(len(self._memories))
        is_shared = len(threads) > 1 and self.board.cells - position.ply > SPLIT_CELLS
        is_shared = is_shared and question.limit == NO_LIMIT
        first = question._replace(limit=ALONE_NODES) if is_shared else question
        answers = self._search(words, first)
        low, high, spent = answers.tolist()[0]
        if is_shared and low < high and not (question.is_weak and low * high > 0):
            question = question._replace(split=SPLIT_CELLS)
            with ThreadPoolExecutor(len(threads)) as pool:
                each = pool.map(lambda thread: self._search(words, question, thread), threads)
                answers = np.concatenate([answers, *each])
            low, high = int(answers[:, 0].max()), int(answers[:, 1].min())
            spent = int(answers[:, 2].sum())
        return low, high, spent

    def columns(
        self,
        position: Position,
        *,
        weak: bool = False,
        nodes: int | None = None,
        before_each: Callable[[int], object] = lambda _: None,
    ) -> tuple[Solution | None, ...]:
        """Return each column's value for the side to move, None for a full column.

        The middle comes first: its columns are often the best, and each column is first compared
        with the one before, with which it shares many positions.

        Args:
            position: a position of this solver's board that is not over.
            weak: whether only win, draw or loss is wanted.
            nodes: node limit for all columns together; each may use an equal share of the rest.
            before_each: called before each search with the number of columns that are left.

        Raises:
            SolverError: the position is over or belongs to another board.

        """
        self._check(position)
        columns = list(position.legal_moves())
        columns.sort(key=lambda column: abs(2 * column + 1 - self.board.columns))
        found: dict[int, Solution] = {}
        mirrored: dict[bytes, Solution] = {}
        question, spent = self._everything._replace(is_weak=weak), 0
        for place, column in enumerate(columns):
            after = position.play(column)
            key, _ = key_of(after)
            known = mirrored.get(key)
            if known is not None:
                found[column] = Solution(known.low, known.high, 0)
                continue
            answer = None
            if not after.is_over:
                left = len(columns) - place
                before_each(left)
                if nodes is not None:
                    question = question._replace(limit=max(0, nodes - spent) // left)
                low, high, used = self._solve(after, question)
                answer = self.solution(after.ply, low, high, used)
                if low == high and not weak:
                    # the next column is as good, or a little worse
                    question = question._replace(guess=low + 1)
                spent += used
            found[column] = mirrored[key] = solution_of_move(after, answer)
        return tuple(found.get(column) for column in range(self.board.columns))

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
        thread: int = 0,
    ) -> NDArray[np.int64]:
        """Return bounds on scores as `engine.solver.search` defines them: the kernel's raw result.

        Args:
            stones: shape (n, 2, words), from `engine.solver.geometry`; not checked.
            weak: whether only win, draw or loss is wanted.
            limit: node limit for each position.
            clears: whether to clear the table before each position.
            thread: the number of the solver's thread that searches; calls may run side by side if
                they name different ones.

        Returns:
            Lower bound, upper bound and nodes, shape (n, 3).

        """
        if clears:
            self.clear()  # the kernel clears only entries of its own thread
        question = self._everything._replace(is_weak=weak, limit=limit, clears=clears)
        return self._search(stones, question, thread)

    def _search(
        self, stones: WordArray, question: SolverQuestion, thread: int = 0
    ) -> NDArray[np.int64]:
        """Look positions up in the book and search the others."""
        answers = np.zeros((len(stones), 3), np.int64)
        is_open: slice | NDArray[np.bool_] = slice(None)
        if len(stones) and len(self.book):
            scores, is_known = self.book.find(stones)
            if is_known.any():
                left = self.board.cells - plies_of(stones)
                # as in the search, an end beyond the horizon decides nothing
                reach = (left + 2 - question.horizon) // 2
                is_known &= (question.horizon >= left) | (np.abs(scores) >= reach)
                answers[is_known, :2] = scores[is_known, None]
                if is_known.all():
                    return answers
                is_open = ~is_known
        found = answers[is_open]  # a view of all, or a copy of some
        solve = solve_on_word if geometry.fits_one_word(self.board) else solve_on_wide
        # For a strided array numba would compile the kernel again, which takes 8 s.
        asked = np.ascontiguousarray(stones[is_open])
        solve(asked, self._memories[thread], question, found)
        answers[is_open] = found
        return answers

    def solution(self, ply: int, low: int, high: int, nodes: int) -> Solution:
        """Convert a row of `scores`, of a position with `ply` stones."""
        return Solution(self._value(ply, low), self._value(ply, high), nodes)

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


def _memories(board: Board, table_mib: int, threads: int) -> list[SolverMemory]:
    """Return the arrays of a search on this board, for each thread.

    Raises:
        MemoryError: there is not enough memory.

    """
    words = geometry.words_of(board)
    depth = board.cells + 2
    children = depth * memory.MOST_CHILDREN
    constants, weights = geometry.board_constants(board), geometry.line_counts(board)
    known, shapes = _table(board, table_mib, threads)
    marks, stop = np.zeros(MARKS, np.int64), np.zeros(1, np.int64)
    return [
        SolverMemory(
            constants,
            np.zeros((depth * memory.SETS, words), np.uint64),
            np.zeros((depth, memory.FRAME_FIELDS), np.int64),
            np.zeros((children * memory.SETS, words), np.uint64),
            np.zeros((children, memory.CHILD_FIELDS), np.int64),
            known,
            shape,
            np.zeros(JOURNAL_LENGTH, np.int64),
            weights,
            marks,
            stop,
        )
        for shape in shapes
    ]


def _table(board: Board, table_mib: int, threads: int) -> tuple[WordArray, list[WordArray]]:
    """Return the transposition table and its shape for each thread; see `SolverMemory`."""
    is_word = geometry.fits_one_word(board)
    table = word_table if is_word else wide_table
    bits = (board.rows + 1) * board.columns if is_word else 64 * wide_table.WORDS
    near_bits = (NEAR_BYTES // (8 * table.LINE_WORDS)).bit_length() - 1
    index = (table_mib * _MIB // (8 * table.LINE_WORDS)).bit_length() - 1
    far_bits = min(index, bits - 4)
    rows = []
    for size in (far_bits, near_bits):
        spare = 64 - word_table.BOUND_BITS - (bits - size) if is_word else 0
        rows.append([bits, size, min(word_table.MOST_WORK_BITS, spare), 0, NEAR_CELLS])
    shapes = [np.array(rows, np.uint64) for _ in range(threads)]
    for thread, shape in enumerate(shapes):
        shape[:, 3] = threads << near_bits, thread << near_bits
    lines = (1 << far_bits) + (threads << near_bits)
    raw = np.zeros(lines * table.LINE_WORDS * 8 + LINE_BYTES, np.uint8)
    return aligned(raw).view(np.uint64), shapes
