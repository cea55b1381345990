"""Solving positions within limits of nodes and time.

The engine reads no clock, so a position is solved in steps of some nodes, between which the time
and stop requests are checked.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.board import Board, parse_board
from engine.errors import EngineError
from engine.position import Position, parse_moves, parse_position
from engine.solver.errors import SolverError
from engine.solver.solver import Solver, solution_of_move
from engine.solver.value import Solution
from ladder.errors import UsageError
from ladder.results.analysis.stepwise import solve_stepwise
from ladder.signals import current_stop


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


def solve(solver: Solver, position: Position, options: SolveOptions) -> SolveResult:
    """Solve a position.

    Raises:
        SolverError: the game is over, or the solver is for another board.
        Stopped: the user stopped the command.

    """
    current_stop().check()
    started = time.monotonic()
    end = None if options.seconds is None else started + options.seconds
    if not options.columns:
        solution = solve_stepwise(
            solver,
            position,
            weak=options.weak,
            nodes=options.nodes,
            is_over=partial(_is_over, end),
        )
        return SolveResult(
            position, options, solution, None, solution.nodes, time.monotonic() - started
        )
    if position.is_over:
        raise SolverError(f"the game is over in {position.notation()!r}: no column can be played")
    left, nodes = len(position.legal_moves()), 0
    found: list[Solution | None] = []
    for column in range(position.board.columns):
        if not position.can_play(column):
            found.append(None)
            continue
        after = position.play(column)
        if after.is_over:
            answer = solution_of_move(after, None)
        else:
            now = time.monotonic()
            # The columns that are left share the rest of the nodes and of the time.
            share = None if options.nodes is None else max(0, options.nodes - nodes) // left
            until = None if end is None else now + max(0.0, end - now) / left
            solution = solve_stepwise(
                solver, after, weak=options.weak, nodes=share, is_over=partial(_is_over, until)
            )
            answer = solution_of_move(after, solution)
        found.append(answer)
        nodes += answer.nodes
        left -= 1
    known = [answer for answer in found if answer is not None]
    low = max(answer.low for answer in known)
    high = max(answer.high for answer in known)
    whole = Solution(low, high, nodes)
    return SolveResult(position, options, whole, tuple(found), nodes, time.monotonic() - started)


def _is_over(end: float | None) -> bool:
    """Return whether the time is up. Raises Stopped."""
    current_stop().check()
    return end is not None and time.monotonic() >= end


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


def read_positions(file: Path, board: Board, *, one_based: bool) -> list[Position]:
    """Read the positions of a file, one per line: ``MOVES`` or ``BOARD MOVES``.

    Raises:
        UsageError: the file cannot be read, or a line is not a position that can be solved.

    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        problem = f"{file} is not a text file in UTF-8 ({error.reason})"
        raise UsageError(problem, option="file") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", option="file") from error
    positions = []
    for number, line in enumerate(lines, start=1):
        try:
            position = read_position(line, board, one_based=one_based)
            if position.is_over:
                raise SolverError(f"the game is over in {position.notation()!r}")
        except EngineError as error:
            raise UsageError(f"{file}, line {number}: {error}", option="file") from error
        positions.append(position)
    return positions


def solve_each(
    positions: list[Position],
    options: SolveOptions,
    *,
    table_mib: int,
    keep_table: bool,
    on_compile: Callable[[], None],
) -> Iterator[SolveResult]:
    """Solve positions one after the other.

    Args:
        positions: the positions.
        options: the same for all.
        table_mib: the size of the transposition table in MiB.
        keep_table: whether the table is kept between positions on the same board.
        on_compile: called before the solver is compiled, which takes some 20 seconds, once.

    Raises:
        SolverError: there is no memory for the table.
        Stopped: the user stopped the command.

    """
    solver: Solver | None = None
    for position in positions:
        if solver is None or solver.board != position.board:
            solver = None  # frees its table before the next one is allocated
            solver = Solver(position.board, table_mib)
            if not solver.is_compiled:
                on_compile()
            solver.prepare()
        elif not keep_table:
            solver.clear()
        yield solve(solver, position, options)


def read_board(text: str) -> Board:
    """Parse the board of the command.

    Raises:
        UsageError: the text is not a valid board.

    """
    try:
        return parse_board(text)
    except EngineError as error:
        raise UsageError(str(error), option="board") from error
