"""The solver against brute force, published values, symmetry and itself."""

import pytest

from bots.catalogue import VERSIONS
from bots.identity import sources
from engine.board import Board, parse_board
from engine.cache import ROOT
from engine.position import Position, parse_moves
from engine.seeds import SplitMix
from engine.solver import Outcome, Solver, SolverError, Value, best_columns
from tests.engine.solver.oracle import Oracle, random_position


def _solve(board: str, moves: str = "") -> str:
    solution = Solver(parse_board(board), 16).solve(
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
    ],
)
def test_published_values(board: str, value: str) -> None:
    """Empty boards have the values and lengths that others have published."""
    assert _solve(board) == value


@pytest.mark.parametrize(
    ("board", "plies", "count"),
    [("5x5@2,2", 16, 40), ("5x6", 21, 40), ("6x6@5,0", 27, 40), ("4x7@2,3", 19, 40)],
)
def test_random_positions_have_the_value_of_brute_force(board: str, plies: int, count: int) -> None:
    """Strong and weak answers and every column are those of looking at all continuations."""
    random = SplitMix(1)
    oracle = Oracle(parse_board(board))
    strong, weak = Solver(oracle.board, 1), Solver(oracle.board, 1)
    for _ in range(count):
        position = random_position(oracle.board, plies, random)
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


def test_equal_calls_give_equal_node_counts() -> None:
    """The search is deterministic, and a cleared table forgets everything."""
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
    with pytest.raises(SolverError, match="is on 4x5, the solver for 4x4"):
        solver.columns(Position(Board(4, 5)))
    with pytest.raises(SolverError, match="the table must have"):
        Solver(Board(4, 4), 0)


def test_values_are_ordered() -> None:
    """A sooner win is greater, a later loss is greater, and draws lie between."""
    loss, win, draw = Outcome.LOSS, Outcome.WIN, Value(Outcome.DRAW)
    ordered = [Value(loss, 2), Value(loss, 4), draw, Value(win, 5), Value(win, 3)]
    assert sorted([*ordered[2:], *ordered[:2]]) == ordered


def test_no_player_is_made_of_the_solver() -> None:
    """Its sources are in no built-in player's identity, so an edit of them gives no revision."""
    solver = ROOT / "engine" / "solver"
    assert solver.is_dir()
    for version in VERSIONS.values():
        assert not [path for path in sources(version) if path.is_relative_to(solver)]
