"""The true values of the columns before a person's move, as far as the solver proves them."""

from collections.abc import Callable

from engine.position import Position
from ladder.results.analysis.game import Effort, Solvers
from ladder.results.analysis.solved import Columns, solve_columns
from ladder.search_watch import SearchWatch

MOST_NODES = 50_000_000
"""Node limit of a position, some ten seconds. The standard board needs less: its first plies are in
the solver's book."""


class ColumnValues:
    """The solver of one game, which starts with the first question."""

    def __init__(self) -> None:
        self._solvers = Solvers()

    def find(self, position: Position, is_stopped: Callable[[], bool]) -> Columns:
        """Return bounds on every column of a position that is not over.

        Args:
            position: the position.
            is_stopped: called while the solver searches; once it is true, the search ends.

        """
        solver = self._solvers.on(position.board)
        nodes = min(Effort().at(position), MOST_NODES)

        def solve() -> Columns:
            return solve_columns(solver, position, nodes, most_for_distance=nodes)

        return SearchWatch([solver], is_stopped).wait(solve)
