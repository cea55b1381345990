"""Solving under limits of nodes and time, in steps between which the command can be stopped.

The engine knows no clock. A position is asked with a few nodes at a time; the solver keeps its
table, so that each step goes on where the last one ended.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.board import Board, parse_board
from engine.errors import EngineError
from engine.position import Position, parse_moves, parse_position
from engine.solver.errors import SolverError
from engine.solver.solver import Solver, solution_of_move
from engine.solver.value import Solution, Value
from ladder.errors import UsageError
from ladder.signals import current_stop

FIRST_STEP = 10_000
"""Nodes of the first step: a few milliseconds."""
LONGEST_STEP = 400_000
"""Nodes between two looks at the clock: a few tenths of a second."""


@dataclass(frozen=True, slots=True)
class Question:
    """How a position is asked."""

    weak: bool = False
    """Whether win, draw or loss is enough."""
    columns: bool = False
    """Whether each column is asked, too."""
    nodes: int | None = None
    """The most nodes a position, None without a limit."""
    seconds: float | None = None
    """The most time a position, None without a limit."""


@dataclass(frozen=True, slots=True)
class Solved:
    """A position and what was found out about it."""

    position: Position
    question: Question
    solution: Solution
    columns: tuple[Solution | None, ...] | None
    """One a column, None for a full one; None when they were not asked."""
    nodes: int
    seconds: float


def solve(solver: Solver, position: Position, question: Question) -> Solved:
    """Ask a solver for a position.

    Raises:
        SolverError: the game is over, or the solver is for another board.
        Stopped: the user wants the command to end.

    """
    started = time.monotonic()
    end = None if question.seconds is None else started + question.seconds
    if not question.columns:
        solution = _ask(solver, position, question.weak, question.nodes, end)
        return Solved(
            position, question, solution, None, solution.nodes, time.monotonic() - started
        )
    if position.is_over:
        raise SolverError(f"the game is over in {position.notation()!r}: there is no move to ask")
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
            share = None if question.nodes is None else max(0, question.nodes - nodes) // left
            until = None if end is None else now + max(0.0, end - now) / left
            answer = solution_of_move(after, _ask(solver, after, question.weak, share, until))
        found.append(answer)
        nodes += answer.nodes
        left -= 1
    known = [answer for answer in found if answer is not None]
    low = max(answer.low for answer in known)
    high = max(answer.high for answer in known)
    whole = Solution(low, high, nodes)
    return Solved(position, question, whole, tuple(found), nodes, time.monotonic() - started)


def _ask(
    solver: Solver, position: Position, weak: bool, nodes: int | None, end: float | None
) -> Solution:
    """Ask step by step until the answer is there or a limit is reached."""
    step, spent = FIRST_STEP, 0
    low: Value | None = None
    high: Value | None = None
    while True:
        current_stop().check()
        size = step if nodes is None else min(step, nodes - spent)
        answer = solver.solve(position, weak=weak, nodes=size)
        spent += answer.nodes
        # an entry of the table may be gone again, what was proven stays so
        low = answer.low if low is None else max(low, answer.low)
        high = answer.high if high is None else min(high, answer.high)
        answer = Solution(low, high, spent)
        if answer.is_exact or (weak and answer.outcome is not None):
            return answer
        if (nodes is not None and spent >= nodes) or (end is not None and time.monotonic() >= end):
            return answer
        step = min(2 * step, LONGEST_STEP)


def read_position(text: str, board: Board, *, one_based: bool = False) -> Position:
    """A position from ``MOVES`` or ``BOARD MOVES``; nothing is the empty board.

    Raises:
        EngineError: the text is no position; the message says why.

    """
    words = text.split()
    if one_based:
        return parse_position(text, one_based=True)
    if len(words) > 1 or (words and "x" in words[0]):
        return parse_position(text)
    return Position.from_moves(board, parse_moves(words[0]) if words else ())


def read_positions(file: Path, board: Board, *, one_based: bool = False) -> list[Position]:
    """The positions of a file, one a line: ``MOVES`` or ``BOARD MOVES``.

    Raises:
        UsageError: the file cannot be read, or a line is no position that can be asked; its number
            is named.

    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"--file {file}: it is no text in UTF-8 ({error.reason})") from error
    except OSError as error:
        raise UsageError(f"--file {file}: {error.strerror}") from error
    positions = []
    for number, line in enumerate(lines, start=1):
        try:
            position = read_position(line, board, one_based=one_based)
            if position.is_over:
                raise SolverError(f"the game is over in {position.notation()!r}")
        except EngineError as error:
            raise UsageError(f"--file {file}, line {number}: {error}") from error
        positions.append(position)
    return positions


def solve_each(
    positions: list[Position],
    question: Question,
    *,
    table_mib: int,
    keep_table: bool,
    compiling: Callable[[], None] = lambda: None,
) -> Iterator[Solved]:
    """Ask position after position; a table serves as long as the board stays.

    Args:
        positions: in their order.
        question: the same for all.
        table_mib: memory of the table.
        keep_table: whether what one position has shown may serve the next.
        compiling: called before the solver's code is compiled, which takes some 20 seconds, once.

    Raises:
        SolverError: the table cannot be had.
        Stopped: the user wants the command to end.

    """
    solver: Solver | None = None
    for position in positions:
        if solver is None or solver.board != position.board:
            solver = None  # its table goes before the next one is set aside
            solver = Solver(position.board, table_mib)
            if not solver.is_compiled:
                compiling()
            solver.prepare()
        elif not keep_table:
            solver.clear()
        yield solve(solver, position, question)


def board_of(text: str) -> Board:
    """The board of `--board`.

    Raises:
        UsageError: the text is no board; the message names the option.

    """
    try:
        return parse_board(text)
    except EngineError as error:
        raise UsageError(f"--board: {error}") from error
