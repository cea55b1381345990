"""Ends of searches that would last for days: by a request, at a time, and by a failure."""

import pytest

from engine.board import Board
from engine.position import Position
from engine.solver.solver import Solver
from ladder.search_watch import SearchWatch

LARGE = Board(9, 9)


@pytest.fixture(scope="module")
def solver() -> Solver:
    """Return a solver of a board that it cannot solve."""
    made = Solver(LARGE, 4)
    made.prepare()
    return made


def test_a_request_ends_a_search_with_bounds(solver: Solver) -> None:
    """Requests are polled while the solver searches, and the next search is not stopped."""
    answers = iter([False, False, True])
    watch = SearchWatch([solver], lambda: next(answers))
    found = watch.wait(lambda: solver.solve(Position(LARGE)))
    assert found.nodes > 0
    assert not found.is_exact
    assert list(answers) == []
    assert solver.solve(Position(LARGE), nodes=10).nodes == 10


def test_an_earlier_request_searches_nothing(solver: Solver) -> None:
    """If the searches are over before they begin, no node is searched."""
    watch = SearchWatch([solver], lambda: True)
    assert watch.wait(lambda: solver.solve(Position(LARGE))).nodes == 0


@pytest.mark.slow
def test_columns_share_the_time(solver: Solver) -> None:
    """A time limit ends the search of each column, and the first does not use all of it."""
    watch = SearchWatch([solver], lambda: False, seconds=0.5)
    position = Position.from_moves(LARGE, (0,))
    columns = watch.wait(lambda: solver.columns(position, before_each=watch.share_time))
    found = [column for column in columns if column is not None]
    assert not any(column.is_exact for column in found)
    assert len([column for column in found if column.nodes]) > 1


def test_a_failure_ends_the_search(solver: Solver) -> None:
    """An error of the caller's check does not wait for the end of the search."""
    answers = iter([False])
    watch = SearchWatch([solver], lambda: next(answers))
    with pytest.raises(StopIteration):
        watch.wait(lambda: solver.solve(Position(LARGE)))
    assert solver.solve(Position(LARGE), nodes=10).nodes == 10
