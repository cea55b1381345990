"""The solver against brute force, published values, symmetry and itself."""

from typing import Any

import numpy as np
import pytest

from engine.board import Board, parse_board
from engine.position import Position, parse_moves
from engine.seeds import SplitMix
from engine.solver.book import NO_BOOK
from engine.solver.geometry import positions_words
from engine.solver.solver import Solver
from engine.solver.value import Outcome, SolverError, Value, best_columns
from engine.solver.windows import solve_on_word
from tests.engine.solver.oracle import (
    WIN_IN_0,
    every_position,
    oracle_of,
    quiet_position,
)


def _solve(board: str, moves: str = "", table_mib: int = 16) -> str:
    solution = Solver(parse_board(board), table_mib, book=NO_BOOK).solve(
        Position.from_moves(parse_board(board), parse_moves(moves))
    )
    assert solution.is_exact
    return str(solution.low)


@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("4x4", "draw"),
        ("4x4@0,0", "win in 13"),
        ("4x4@0,1", "win in 13"),
        ("4x4@1,1", "draw"),
        ("4x5", "draw"),
        ("5x4", "draw"),
        ("4x6", "loss in 24"),
        ("4x7", "draw"),
        pytest.param("5x5", "draw", marks=pytest.mark.slow),
        pytest.param("6x5", "draw", marks=pytest.mark.slow),
    ],
)
def test_empty_boards_have_their_published_values(board: str, value: str) -> None:
    """Empty boards have the values and lengths that others have published."""
    assert _solve(board) == value


@pytest.mark.parametrize("board", ["6x7", "9x9"])
def test_the_table_begins_at_a_cache_line(board: str) -> None:
    """A line of entries is then one line of the processor's cache, and not parts of two."""
    known = Solver(parse_board(board), 1, book=NO_BOOK)._memories[0].known
    assert known.ctypes.data % 64 == 0
    assert len(known) % 8 == 0


def test_the_kernel_is_compiled_for_one_layout_of_arrays() -> None:
    """Every second of some positions gets the answers of a copy, and no other machine code."""
    board = Board(4, 4)
    solver = Solver(board, 1, book=NO_BOOK)
    stones = positions_words([quiet_position(board, 8, SplitMix(n)) for n in range(4)], board)
    assert np.array_equal(solver.scores(stones[::2])[:, :2], solver.scores(stones)[::2, :2])
    compiled: Any = solve_on_word
    assert [types[0].layout for types in compiled.signatures] == ["C"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "plies", "count"),
    [
        ("5x5@2,2", 16, 40),
        ("5x6", 21, 40),
        ("6x6@5,0", 27, 40),
        ("4x7@2,3", 19, 40),
        # Not in one word of 64 bits: a column has a bit more than rows.
        ("12x5", 47, 100),
        ("5x11@2,5", 43, 100),
        ("8x8@3,3", 51, 100),
    ],
)
def test_random_positions_have_the_value_of_brute_force(board: str, plies: int, count: int) -> None:
    """Strong and weak answers and every column are those of all continuations, in both layouts."""
    random = SplitMix(1)
    oracle = oracle_of(parse_board(board))
    strong, weak = Solver(oracle.board, 1), Solver(oracle.board, 1)
    for _ in range(count):
        position = quiet_position(oracle.board, plies, random)
        value = oracle.value(position)
        solution, outcome = strong.solve(position), weak.solve(position, weak=True)
        assert solution.is_exact
        assert solution.low == value
        assert outcome.outcome == value.outcome
        assert outcome.low <= value <= outcome.high
        columns = strong.columns(position)
        for column, found in enumerate(columns):
            assert (found is not None) == position.can_play(column)
            if found is not None:
                assert found.low == found.high == oracle.value_of_move(position, column)
        best = best_columns(columns)
        assert {columns[c].low for c in best} == {value}  # type: ignore[union-attr]


def test_a_limit_gives_bounds_and_then_the_value() -> None:
    """With few nodes the answer is bounds that hold the value; asking on ends with the value."""
    board = Board(5, 5)
    solver = Solver(board, 4)
    solution = solver.solve(Position(board), nodes=100)
    assert not solution.is_exact
    assert solution.outcome is None
    assert solution.nodes <= 100
    assert solution.low < Value(Outcome.DRAW) < solution.high
    for _ in range(10_000):
        solution = solver.solve(Position(board), nodes=1000)
        assert solution.low <= Value(Outcome.DRAW) <= solution.high
        if solution.is_exact:
            break
    assert solution.outcome is Outcome.DRAW


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "moves", "value"),
    [
        ("12x11@0,5", "955521122771916444440561", "win in 17"),
        ("10x12@4,11", "38338285532335885277259885aa9999a922099aa11000838", "loss in 18"),
    ],
)
def test_a_limited_search_of_a_large_board_finds_a_far_end(
    board: str, moves: str, value: str
) -> None:
    """Ends beyond the second windows are found in positions of games that strong players made."""
    position = Position.from_moves(parse_board(board), parse_moves(moves))
    solution = Solver(position.board, 16).solve(position, nodes=200_000)
    assert solution.is_exact
    assert str(solution.low) == value


def test_equal_calls_give_equal_node_counts() -> None:
    """The search is deterministic, and a cleared table clears everything."""
    position = Position.from_moves(Board(5, 6), (2, 2, 3))
    solver = Solver(position.board, 4)
    first = solver.solve(position)
    assert solver.solve(position).nodes < first.nodes
    solver.clear()
    assert solver.solve(position) == first
    assert Solver(position.board, 4).solve(position) == first


def test_what_cannot_be_asked_is_refused() -> None:
    """Finished positions, other boards and impossible tables are refused with one sentence."""
    solver = Solver(Board(4, 4), 1)
    with pytest.raises(SolverError, match="the game is over"):
        solver.solve(Position.from_moves(Board(4, 4), parse_moves("0101010")))
    with pytest.raises(SolverError, match="is on 4x5, but the solver is for 4x4"):
        solver.columns(Position(Board(4, 5)))
    with pytest.raises(SolverError, match="the table must have"):
        Solver(Board(4, 4), 0)


def test_a_sooner_win_and_a_later_loss_have_a_greater_value() -> None:
    """Draws lie between wins and losses."""
    loss, win, draw = Outcome.LOSS, Outcome.WIN, Value(Outcome.DRAW)
    ordered = [Value(loss, 2), Value(loss, 4), draw, Value(win, 5), Value(win, 3)]
    assert sorted([*ordered[2:], *ordered[:2]]) == ordered


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "plies", "weak"),
    [("6x7", 20, False), ("7x8@3,2", 36, False), ("9x9@4,4", 64, True), ("12x12@0,3", 129, False)],
)
def test_a_value_is_the_best_of_the_moves_and_mirrored_positions_are_equal(
    board: str, plies: int, weak: bool
) -> None:
    """Also where no brute force reaches: each value follows from its columns, in both layouts."""
    specification = parse_board(board)
    random = SplitMix(plies)
    solver, other = Solver(specification, 8), Solver(_mirrored(specification), 8)
    for _ in range(5):
        position = quiet_position(specification, plies, random)
        solution = solver.solve(position, weak=weak)
        columns = [found for found in solver.columns(position, weak=weak) if found is not None]
        image = Position.from_moves(
            other.board, [specification.columns - 1 - column for column in position.moves]
        )
        assert solution.outcome is not None
        assert solution.outcome == other.solve(image, weak=weak).outcome
        outcomes = [found.outcome for found in columns if found.outcome is not None]
        assert solution.outcome == max(outcomes)
        if not weak:
            assert solution.low == other.solve(image).low == max(found.low for found in columns)


def _mirrored(board: Board) -> Board:
    if board.forbidden is None:
        return board
    row, column = board.forbidden
    return Board(board.rows, board.columns, (row, board.columns - 1 - column))


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", [None, (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)]
)
def test_every_position_of_the_smallest_board_has_its_true_value(
    cell: tuple[int, int] | None,
) -> None:
    """All positions of 4x4 with each forbidden cell, up to reflection, have brute force's value."""
    board = Board(4, 4, cell)
    every = every_position(board)
    solver = Solver(board, 4)
    told = solver.scores(np.stack([every.movers, every.others], axis=1)[:, :, None])
    ends = every.plies + WIN_IN_0 - np.abs(every.values)
    scores = np.sign(every.values) * ((board.cells + 2 - ends) // 2)
    assert np.array_equal(told[:, 0], scores)
    assert np.array_equal(told[:, 1], scores)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("board", "value"),
    [
        ("4x8", "loss in 32"),
        ("4x9", "loss"),
        ("5x7", "draw"),
        ("5x8", "win"),
        ("6x4", "draw"),
        ("6x6", "loss in 36"),
        ("6x7", "win in 41"),
        ("7x6", "win"),
        ("8x5", "draw"),
    ],
)
def test_boards_up_to_thirteen_rows_and_columns_have_their_published_values(
    board: str, value: str
) -> None:
    """Tromp's results for the sizes that take up to a minute each."""
    assert _solve(board, table_mib=1024).startswith(value)
