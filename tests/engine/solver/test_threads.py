"""Threads of one solver: the same values as one thread, in either layout, and an end on request."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver import geometry
from engine.solver.book import NO_BOOK
from engine.solver.solver import ALONE_NODES, Solver
from tests.engine.solver.oracle import quiet_position, random_position


@pytest.mark.slow
@pytest.mark.parametrize(("board", "plies"), [("6x7", 13), ("6x8@2,2", 20), ("6x6", 8)])
def test_threads_find_the_values_of_one(board: str, plies: int) -> None:
    """Positions that need more nodes than one thread searches alone keep their values."""
    specification, random = parse_board(board), SplitMix(7)
    one, three = Solver(specification, 16), Solver(specification, 16, threads=3)
    shared = 0
    while shared < 5:
        position = quiet_position(specification, plies, random)
        one.clear()
        three.clear()
        alone, together = one.solve(position), three.solve(position)
        assert together.is_exact
        assert together.low == alone.low
        weak = three.solve(position, weak=True)
        assert weak.outcome == alone.outcome
        shared += alone.nodes > ALONE_NODES


@pytest.mark.slow
def test_threads_find_the_values_of_one_on_larger_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share the table of boards that the lanes solve, too."""
    board, random = Board(6, 7), SplitMix(11)
    positions = [random_position(board, 12, random) for _ in range(6)]
    values = [Solver(board, 16).solve(position).low for position in positions]
    monkeypatch.setattr(geometry, "fits_one_word", lambda _board: False)
    solver = Solver(board, 16, threads=3)
    assert [solver.solve(position).low for position in positions] == values


def test_a_stop_ends_a_search_with_bounds() -> None:
    """A search in another thread ends soon after a request, and later ones at once."""
    solver = Solver(Board(9, 9), 4, threads=2)
    solver.prepare()
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(solver.solve, Position(solver.board))
        solver.stop()
        solution = found.result()
    assert not solution.is_exact
    assert solver.solve(Position(solver.board)).nodes == 0
    solver.stop(is_requested=False)
    assert solver.solve(Position(solver.board), nodes=10).nodes == 10


def test_clearing_forgets_what_every_thread_found() -> None:
    """After threads have searched, a cleared table gives the node count of a new one."""
    board = Board(6, 6)
    position = Position.from_moves(board, (2, 2, 2, 2, 2))
    solver = Solver(board, 4, threads=2)
    assert solver.solve(position).nodes > ALONE_NODES
    solver.clear()
    assert solver.solve(position, nodes=1000) == Solver(board, 4).solve(position, nodes=1000)
    solver.clear()
    assert not any(memory.known.any() for memory in solver._memories)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_threads_solve_the_standard_board() -> None:
    """Two threads find the published value of the empty standard board."""
    solver = Solver(Board(6, 7), threads=2, book=NO_BOOK)
    assert str(solver.solve(Position(solver.board)).low) == "win in 41"
