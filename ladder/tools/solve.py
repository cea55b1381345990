"""Solving positions within limits of nodes and time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.board import Board
from engine.position import Position, parse_moves, parse_position
from engine.solver.value import Solution
from ladder.search_watch import SearchWatch
from ladder.signals import current_stop

if TYPE_CHECKING:
    from engine.solver.solver import Solver


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


def solve(solver: "Solver", position: Position, options: SolveOptions) -> SolveResult:
    """Solve a position.

    Raises:
        SolverError: the game is over, or the solver is for another board.
        Stopped: the user stopped the command.

    """
    current_stop().check()
    started = time.monotonic()
    watch = SearchWatch([solver], current_stop().is_requested, seconds=options.seconds)
    if not options.columns:
        solution = watch.wait(
            lambda: solver.solve(position, weak=options.weak, nodes=options.nodes)
        )
        current_stop().check()
        return SolveResult(
            position, options, solution, None, solution.nodes, time.monotonic() - started
        )
    columns = watch.wait(
        lambda: solver.columns(
            position, weak=options.weak, nodes=options.nodes, before_each=watch.share_time
        )
    )
    current_stop().check()
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
    board: Board,
    table_mib: int,
    threads: int,
    on_compile: Callable[[], None],
    *,
    has_book: bool = True,
) -> "Solver":
    """Return a solver that is ready to search.

    Args:
        board: the board of all positions.
        table_mib: the size of its table in MiB.
        threads: the number of its threads.
        on_compile: called before the solver is compiled, which takes some 20 seconds, once.
        has_book: whether the solver knows the values that are stored.

    Raises:
        SolverError: there is no memory for the table, or the book is damaged.

    """
    # They load the compiler.
    from engine.solver.book import NO_BOOK
    from engine.solver.solver import Solver

    solver = Solver(board, table_mib, threads, book=None if has_book else NO_BOOK)
    if not solver.is_compiled:
        on_compile()
    solver.prepare()
    return solver
