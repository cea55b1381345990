"""Solving positions within limits of nodes and time.

The engine reads no clock, so it searches in another thread while the main one watches the time and
stop requests.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from engine.board import Board, parse_board
from engine.errors import EngineError
from engine.position import Position, parse_moves, parse_position
from engine.solver.solver import Solver
from engine.solver.value import Solution
from ladder.errors import UsageError
from ladder.signals import current_stop

POLL_S = 0.05
"""Seconds between two looks at the clock and at stop requests."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """What to find out about a position, and within which limits."""

    weak: bool = False
    """Whether win, draw or loss is enough, without the distance."""
    columns: bool = False
    """Whether to solve each column's move."""
    nodes: int | None = None
    """Node limit per position; None for no limit."""
    seconds: float | None = None
    """Time limit per position; None for no limit."""


@dataclass(frozen=True, slots=True)
class SolveResult:
    """A position with its value, or with bounds if a limit was reached."""

    position: Position
    options: SolveOptions
    solution: Solution
    columns: tuple[Solution | None, ...] | None
    """One per column, None for a full column; None if columns were not requested."""
    nodes: int
    seconds: float


class SearchWatch:
    """Stops searches at a time limit or when the user stops the command.

    Args:
        solvers: the solvers that search in other threads.
        seconds: time limit from now; None for none.

    """

    def __init__(self, solvers: Sequence[Solver], seconds: float | None = None) -> None:
        self._solvers = solvers
        self._end = None if seconds is None else time.monotonic() + seconds
        self._until = self._end
        """End of the current share of the time."""
        self._is_stopped = False
        self._lock = Lock()

    def share_time(self, left: int) -> None:
        """Give the next of `left` searches an equal share of the remaining time."""
        if self._end is None:
            return
        with self._lock:
            now = time.monotonic()
            self._until = now + max(0.0, self._end - now) / left
            if not self._is_stopped:
                for solver in self._solvers:
                    solver.stop(is_requested=False)

    def wait(self, search: Callable[[], T]) -> T:
        """Run a search in another thread and return its result.

        Raises:
            Stopped: the user stopped the command.

        """
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(search)
            while not wait([result], timeout=self._poll_s()).done:
                with self._lock:
                    self._is_stopped = current_stop().is_requested()
                    is_late = self._until is not None and time.monotonic() >= self._until
                    if self._is_stopped or is_late:
                        for solver in self._solvers:
                            solver.stop()
        for solver in self._solvers:
            solver.stop(is_requested=False)
        current_stop().check()
        return result.result()

    def _poll_s(self) -> float:
        if self._until is None:
            return POLL_S
        return min(POLL_S, max(0.001, self._until - time.monotonic()))


def solve(solver: Solver, position: Position, options: SolveOptions) -> SolveResult:
    """Solve a position.

    Raises:
        SolverError: the game is over, or the solver is for another board.
        Stopped: the user stopped the command.

    """
    started = time.monotonic()
    watch = SearchWatch([solver], options.seconds)
    if not options.columns:
        solution = watch.wait(
            lambda: solver.solve(position, weak=options.weak, nodes=options.nodes)
        )
        return SolveResult(
            position, options, solution, None, solution.nodes, time.monotonic() - started
        )
    columns = watch.wait(
        lambda: solver.columns(
            position, weak=options.weak, nodes=options.nodes, before_each=watch.share_time
        )
    )
    known = [answer for answer in columns if answer is not None]
    low = max(answer.low for answer in known)
    high = max(answer.high for answer in known)
    nodes = sum(answer.nodes for answer in known)
    whole = Solution(low, high, nodes)
    return SolveResult(position, options, whole, columns, nodes, time.monotonic() - started)


def read_position(text: str, board: Board, *, one_based: bool) -> Position:
    """Parse a position from ``MOVES`` or ``BOARD MOVES``; an empty text is the empty board.

    Raises:
        EngineError: the text is not a valid position.

    """
    words = text.split()
    if one_based:
        return parse_position(text, one_based=True)
    if len(words) > 1 or (words and "x" in words[0]):
        return parse_position(text)
    return Position.from_moves(board, parse_moves(words[0]) if words else ())


def open_solver(
    board: Board, table_mib: int, threads: int, on_compile: Callable[[], None]
) -> Solver:
    """Return a solver that is ready to search.

    Args:
        board: the board of all positions.
        table_mib: the size of its table in MiB.
        threads: the number of its threads.
        on_compile: called before the solver is compiled, which takes some 20 seconds, once.

    Raises:
        SolverError: there is no memory for the table.

    """
    solver = Solver(board, table_mib, threads)
    if not solver.is_compiled:
        on_compile()
    solver.prepare()
    return solver


def read_board(text: str) -> Board:
    """Parse the board of the command.

    Raises:
        UsageError: the text is not a valid board.

    """
    try:
        return parse_board(text)
    except EngineError as error:
        raise UsageError(str(error), option="board") from error
