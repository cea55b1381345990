"""Solving the positions of a file, in the file's order.

Every position is first searched with few nodes, in batches that the threads divide. Those that need
more are then solved one by one, by all threads together.
"""

import codecs
import contextlib
import io
import itertools
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.board import Board
from engine.errors import EngineError
from engine.position import Position
from engine.solver.value import SolverError
from ladder.errors import UsageError
from ladder.search_watch import SearchWatch
from ladder.signals import current_stop
from ladder.tools.solve import SolveOptions, SolveResult, open_solver, read_position, solve

if TYPE_CHECKING:
    from engine.solver.solver import Solver

EASY_NODES = 20_000
"""Nodes for each position of a batch: some milliseconds."""
EASY_MIB = 4
"""Size of the table for these nodes."""
BYTES_PER_NODE = 64
"""Table bytes for each node of a limit, with which hardly any entry is replaced."""
CHUNK_BYTES = 1 << 14
"""Most bytes read at once, and most characters of a line."""
FIRST_BATCH = 16
LARGEST_BATCH = 1 << 12
BATCH_S = 0.25
"""Batches grow until they take this long, so that results appear soon."""


class PositionFile:
    """A file with one position per line: ``MOVES`` or ``BOARD MOVES``.

    An empty line is the empty board, but not at the end of the file.

    Args:
        file: the file.
        board: the board of lines without one.
        one_based: whether columns are counted from 1; then all lines are on the standard board, and
            what follows a line's first word is left out, such as the score in published sets.

    """

    def __init__(self, file: Path, board: Board, *, one_based: bool) -> None:
        self._file = file
        self._board = board
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

    def runs(self) -> Iterator[list[Position]]:
        """Yield consecutive positions on one board, as many as can be read without waiting.

        Raises:
            UsageError: the file cannot be read, or a line is not a position that can be solved.

        """
        number = empty = 0
        try:
            for content in self._chunks():
                positions = []
                for line in content.split("\n"):
                    number += 1
                    if number > 1 and not line.strip():
                        empty += 1  # it counts once another line follows
                        continue
                    positions += [self._read(each, number) for each in ("",) * empty + (line,)]
                    empty = 0
                for _, run in itertools.groupby(positions, lambda position: position.board):
                    yield list(run)
        except UnicodeDecodeError as error:
            problem = f"{self._file} is not a text file in UTF-8 ({error.reason})"
            raise UsageError(problem, option="file") from error
        except OSError as error:
            problem = f"{self._file} cannot be read: {error.strerror}"
            raise UsageError(problem, option="file") from error

    def _chunks(self) -> Iterator[str]:
        """Yield whole lines, at once as many as can be read without waiting."""
        rest = ""
        decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder("utf-8-sig")(), translate=True
        )
        with self._file.open("rb", buffering=0) as stream:
            while content := stream.read(CHUNK_BYTES):
                lines, newline, rest = (rest + decoder.decode(content)).rpartition("\n")
                if newline:
                    yield lines
                if len(rest) > CHUNK_BYTES:
                    problem = f"{self._file} has a line of more than {CHUNK_BYTES} characters"
                    raise UsageError(problem, option="file")
        rest += decoder.decode(b"", final=True)
        if rest:
            yield rest.removesuffix("\n")

    def _read(self, line: str, number: int) -> Position:
        text = " ".join(line.split()[:1]) if self._one_based else line
        try:
            position = read_position(text, self._board, one_based=self._one_based)
            if position.is_over:
                raise SolverError(f"the game is over in {position.notation()!r}")
        except EngineError as error:
            raise UsageError(f"{self._file}, line {number}: {error}", option="file") from error
        return position


class FileSolver:
    """Solvers for the positions of a file: one for each thread, and one with all threads.

    Args:
        options: what to find out about each position.
        table_mib: the size of the transposition table in MiB. With a node limit each thread has
            one, of at most that size.
        threads: number of threads.
        on_compile: called before the solver is compiled.
        has_book: whether the solvers know the values that are stored.

    """

    def __init__(
        self,
        options: SolveOptions,
        *,
        table_mib: int,
        threads: int,
        on_compile: Callable[[], None],
        has_book: bool = True,
    ) -> None:
        self._options = options
        self._table_mib = table_mib
        self._threads = threads
        self._on_compile = on_compile
        self._has_book = has_book
        self._size = FIRST_BATCH
        self._board: Board | None = None
        self._each: list[Solver] = []
        """A solver for each thread's part of a batch."""
        self._all: Solver | None = None
        """The solver for single positions, made when it is needed."""

    def solve_run(self, run: Sequence[Position]) -> Iterator[SolveResult]:
        """Yield the results of positions on one board in order.

        Raises:
            SolverError: there is no memory for the table.
            Stopped: the user stopped the command.

        """
        if self._board != run[0].board:
            self._each, self._all, self._board = [], None, run[0].board  # frees their tables
        if self._options.columns or self._options.seconds is not None:
            yield from map(self._solve_one, run)
            return
        first = 0
        while first < len(run):
            part = run[first : first + self._size]
            yield from self._solve_batch(part)
            first += len(part)

    def _solve_batch(self, batch: Sequence[Position]) -> Iterator[SolveResult]:
        from engine.solver.geometry import positions_words  # loads the compiler

        started = time.monotonic()
        nodes, weak = self._options.nodes, self._options.weak
        solvers = self._solvers_of_batch(batch[0].board)
        stones = positions_words(batch, batch[0].board)
        answers = np.zeros((len(batch), 3), np.int64)

        def search(place: int) -> None:
            every = slice(place, None, len(solvers))
            answers[every] = solvers[place].scores(
                stones[every], weak=weak, limit=nodes or EASY_NODES, clears=True
            )

        def search_all() -> None:
            with ThreadPoolExecutor(len(solvers)) as pool:
                list(pool.map(search, range(len(solvers))))

        SearchWatch(solvers, current_stop().is_requested).wait(search_all)
        current_stop().check()
        taken = time.monotonic() - started
        if taken < BATCH_S:
            self._size = min(4 * self._size, LARGEST_BATCH)
        elif taken > 4 * BATCH_S:
            self._size = max(self._size // 4, self._threads)
        seconds = taken * (answers[:, 2] + 1) / (answers[:, 2] + 1).sum()
        for position, answer, share in zip(batch, answers.tolist(), seconds.tolist(), strict=True):
            solution = solvers[0].solution(position.ply, *answer)
            is_found = solution.is_exact or (weak and solution.outcome is not None)
            if is_found or nodes is not None:
                yield SolveResult(position, self._options, solution, None, solution.nodes, share)
            else:
                yield self._solve_one(position)

    def _solve_one(self, position: Position) -> SolveResult:
        if self._all is None:
            self._all = self._open(position.board, self._table_mib, self._threads)
        self._all.clear()
        return solve(self._all, position, self._options)

    def _solvers_of_batch(self, board: Board) -> "list[Solver]":
        if not self._each:
            size = EASY_MIB
            if self._options.nodes is not None:
                needed = self._options.nodes * BYTES_PER_NODE >> 20
                size = max(EASY_MIB, 1 << needed.bit_length())
            size = min(size, self._table_mib)
            self._each = [self._open(board, size, 1) for _ in range(self._threads)]
        return self._each

    def _open(self, board: Board, table_mib: int, threads: int) -> "Solver":
        return open_solver(board, table_mib, threads, self._on_compile, has_book=self._has_book)
