"""Solving the positions of a file: thousands in one call of the kernel, in the file's order.

Every position is first searched with few nodes, in packed batches that the threads divide. Those
that need more are then solved one by one, by all threads together.
"""

import contextlib
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.errors import EngineError
from engine.lanes import WordArray
from engine.position import Position, format_moves
from engine.solver.book import Book
from engine.solver.errors import SolverError
from engine.solver.solver import NO_LIMIT, Solver
from engine.solver.value import Solution
from ladder.errors import UsageError
from ladder.search_watch import SearchWatch
from ladder.signals import current_stop
from ladder.tools.solve import (
    SolveOptions,
    SolveResult,
    open_solver,
    read_position,
    solve,
)

if TYPE_CHECKING:
    from engine.solver.move_text import MoveLines

EASY_NODES = 20_000
"""Nodes for each position of a batch: some milliseconds."""
EASY_MIB = 4
"""Size of the table for these nodes."""
BYTES_PER_NODE = 64
"""Table bytes for each node of a limit, with which hardly any entry is replaced."""
CHUNK_BYTES = 1 << 20
"""Most bytes read at once, and most characters of a line."""
FIRST_LINES = 16
MOST_LINES = 1 << 14
"""Most positions in one call."""
SCORES = 256
"""More than there are scores."""
BATCH_S = 0.25
"""Batches grow until they take this long, so that results appear soon."""
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive positions of a file on one board."""

    board: Board
    lines: "MoveLines"
    stones: WordArray
    """Mover's stones and the other side's, shape (n, 2, words)."""

    def __len__(self) -> int:
        return len(self.stones)

    def cut(self, first: int, end: int) -> "Run":
        """Return some of the positions."""
        return Run(self.board, self.lines.cut(first, end), self.stones[first:end])

    def position(self, number: int) -> Position:
        """Return a position with its moves."""
        return Position.from_moves(self.board, self.lines.moves(number))


@dataclass(frozen=True, slots=True)
class SolvedBatch:
    """Positions that were solved in one call."""

    run: Run
    options: SolveOptions
    solutions: Sequence[Solution]
    """Each distinct solution, without its nodes."""
    kinds: Integers
    """The index of each position's solution."""
    nodes: Integers
    seconds: NDArray[np.float64]
    """The call's time, divided in proportion to the nodes."""

    def __len__(self) -> int:
        return len(self.kinds)


class PositionFile:
    """A file with one position per line: ``MOVES`` or ``BOARD MOVES``.

    Args:
        file: the file.
        board: the board of lines without one.
        one_based: whether columns are counted from 1; then all lines are on the standard board.

    """

    def __init__(self, file: Path, board: Board, *, one_based: bool) -> None:
        self._file = file
        self._board = Board(6, 7) if one_based else board
        self._one_based = one_based

    def check(self) -> int | None:
        """Check every line and return their number; None for a pipe, which can be read only once.

        Raises:
            UsageError: the file cannot be read, or a line is not a position that can be solved.

        """
        with contextlib.suppress(OSError):  # `runs` reports it
            mode = self._file.stat().st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                return None
        return sum(map(len, self.runs()))

    def runs(self) -> Iterator[Run]:
        """Yield the positions in order.

        Raises:
            UsageError: the file cannot be read, or a line is not a position that can be solved.

        """
        from engine.solver.move_text import read_lines  # loads the compiler

        number, size, named = 0, FIRST_LINES, self._board
        try:
            for content in self._chunks():
                text, start = np.frombuffer(content, np.uint8), 0
                while start < len(content):
                    prefix = b"" if self._one_based else f"{named} ".encode()
                    prefix = prefix if content.startswith(prefix, start) else b""
                    board = named if prefix else self._board
                    stones, lines, end = read_lines(
                        board, text, start, size, prefix, one_based=self._one_based
                    )
                    size = min(2 * size, MOST_LINES) if len(stones) == size else FIRST_LINES
                    run = Run(board, lines, stones)
                    if not len(stones):
                        end = content.index(b"\n", start) + 1
                        run = self._read_one(content[start : end - 1].decode(), number + 1)
                        named = run.board
                    yield run
                    start = end
                    number += len(run)
        except UnicodeDecodeError as error:
            problem = f"{self._file} is not a text file in UTF-8 ({error.reason})"
            raise UsageError(problem, option="file") from error
        except OSError as error:
            problem = f"{self._file} cannot be read: {error.strerror}"
            raise UsageError(problem, option="file") from error

    def _chunks(self) -> Iterator[bytes]:
        r"""Yield whole lines that end with \n, at once as many as can be read without waiting."""
        rest = b""
        with self._file.open("rb", buffering=0) as stream:
            while content := stream.read(CHUNK_BYTES):
                rest += content
                end = len(rest) - rest.endswith(b"\r")  # the first half of \r\n, perhaps
                lines, newline, after = _with_newlines(rest[:end]).rpartition(b"\n")
                rest = after + rest[end:]
                yield lines + newline
                if len(rest) > CHUNK_BYTES:
                    problem = f"{self._file} has a line of more than {CHUNK_BYTES} characters"
                    raise UsageError(problem, option="file")
        if rest:
            yield _with_newlines(rest).removesuffix(b"\n") + b"\n"

    def _read_one(self, line: str, number: int) -> Run:
        """Read a line in any notation, with another board or with an error."""
        from engine.solver.move_text import read_lines  # loads the compiler

        try:
            position = read_position(line, self._board, one_based=self._one_based)
            if position.is_over:
                raise SolverError(f"the game is over in {position.notation()!r}")
        except EngineError as error:
            raise UsageError(f"{self._file}, line {number}: {error}", option="file") from error
        text = np.frombuffer(f"{format_moves(position.moves)}\n".encode(), np.uint8)
        stones, lines, _ = read_lines(position.board, text, 0, 1)
        return Run(position.board, lines, stones)


def _with_newlines(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


class FileSolver:
    """Solvers for the positions of a file: one for each thread, and one with all threads.

    Args:
        options: what to find out about each position.
        table_mib: the size of the transposition table in MiB. With a node limit each thread has
            one, of at most that size.
        threads: number of threads.
        keep_table: whether the table is kept between positions on the same board.
        on_compile: called before the solver is compiled.
        book: the solvers' book; None for the stored one.

    """

    def __init__(
        self,
        options: SolveOptions,
        *,
        table_mib: int,
        threads: int,
        keep_table: bool,
        on_compile: Callable[[], None],
        book: Book | None = None,
    ) -> None:
        self._options = options
        self._table_mib = table_mib
        self._threads = threads
        self._keep_table = keep_table
        self._on_compile = on_compile
        self._book = book
        self._is_packed = not options.columns and options.seconds is None
        self._size = FIRST_LINES
        self._board: Board | None = None
        self._each: list[Solver] = []
        """A solver for each thread's part of a batch."""
        self._all: Solver | None = None
        """The solver for single positions, made when it is needed."""

    def solve_run(self, run: Run) -> Iterator[SolvedBatch | SolveResult]:
        """Yield the results of a run in order.

        Raises:
            SolverError: there is no memory for the table.
            Stopped: the user stopped the command.

        """
        if self._board != run.board:
            self._each, self._all, self._board = [], None, run.board  # frees their tables
        first = 0
        while first < len(run):
            if not self._is_packed:
                yield self._solve_one(run, first)
                first += 1
                continue
            part = run.cut(first, first + self._size)
            yield from self._solve_batch(part)
            first += len(part)

    def _solve_batch(self, run: Run) -> Iterator[SolvedBatch | SolveResult]:
        started = time.monotonic()
        nodes, weak = self._options.nodes, self._options.weak
        solvers = self._solvers_of_batch(run.board)
        limit = nodes or (EASY_NODES if self._threads > 1 or not self._keep_table else NO_LIMIT)
        answers = np.zeros((len(run), 3), np.int64)

        def search(place: int) -> None:
            every = slice(place, None, len(solvers))
            answers[every] = solvers[place].scores(
                run.stones[every], weak=weak, limit=limit, clears=not self._keep_table
            )

        def search_all() -> None:
            with ThreadPoolExecutor(len(solvers)) as pool:
                list(pool.map(search, range(len(solvers))))

        SearchWatch(solvers, current_stop().is_requested).wait(search_all)
        current_stop().check()
        taken = time.monotonic() - started
        if taken < BATCH_S:
            self._size = min(4 * self._size, MOST_LINES)
        elif taken > 4 * BATCH_S:
            self._size = max(self._size // 4, self._threads)
        low, high = answers[:, 0], answers[:, 1]
        is_open = (low < high) & ~(weak & (low * high > 0)) & (nodes is None)
        seconds = taken * (answers[:, 2] + 1) / (answers[:, 2] + 1).sum()
        first = 0
        for hard in [*np.flatnonzero(is_open).tolist(), len(run)]:
            if first < hard:
                part = run.cut(first, hard)
                yield self._batch(part, answers[first:hard], seconds[first:hard], solvers[0])
            if hard < len(run):
                yield self._solve_one(run, hard)
            first = hard + 1

    def _batch(
        self, run: Run, answers: Integers, seconds: NDArray[np.float64], solver: Solver
    ) -> SolvedBatch:
        low, high, nodes = answers.T
        plies = run.lines.plies
        # the solution depends on these three, so one number holds them
        scores = (plies * SCORES + low) * SCORES + high
        _, firsts, kinds = np.unique(scores, return_index=True, return_inverse=True)
        distinct = np.stack([plies, low, high], axis=1)[firsts].tolist()
        solutions = [solver.solution(ply, worst, best, 0) for ply, worst, best in distinct]
        return SolvedBatch(run, self._options, solutions, kinds, nodes, seconds)

    def _solve_one(self, run: Run, number: int) -> SolveResult:
        solver = self._solver_of_one(run.board)
        if not self._keep_table:
            solver.clear()
        return solve(solver, run.position(number), self._options)

    def _solver_of_one(self, board: Board) -> Solver:
        if self._all is None:
            self._all = self._open(board, self._table_mib, self._threads)
        return self._all

    def _solvers_of_batch(self, board: Board) -> list[Solver]:
        if self._keep_table:
            return [self._solver_of_one(board)]
        if not self._each:
            size = EASY_MIB
            if self._options.nodes is not None:
                needed = self._options.nodes * BYTES_PER_NODE >> 20
                size = max(EASY_MIB, 1 << needed.bit_length())
            size = min(size, self._table_mib)
            self._each = [self._open(board, size, 1) for _ in range(self._threads)]
        return self._each

    def _open(self, board: Board, table_mib: int, threads: int) -> Solver:
        return open_solver(board, table_mib, threads, self._on_compile, self._book)
