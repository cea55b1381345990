"""The player c4ai."""

from collections.abc import Sequence
from typing import Any, Literal

from bots.budget import Budget
from bots.c4ai.deepening import Deepening, DeepeningResult
from bots.c4ai.evaluate import weight_array
from bots.c4ai.search import DECIDED, WON
from bots.c4ai.weights import Options, find_weights
from bots.options import read_options
from bots.player import Choice, Info, TimedPlayer
from bots.simulation_budget import spend
from engine.board import Board

CLOCK_SHARE = 0.95
"""Share of the move time that is used."""
HALF_WON = 1000
"""Static value that is reported as 0.5; the published weight of a probable win is 936."""


class C4ai(TimedPlayer):
    """One side of one game. Under a work budget the choices depend only on the moves."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side, seed
        self._budget = budget
        self._cells = board.cells
        weights = find_weights(read_options(Options, options).weights)
        self._search = Deepening(board, weight_array(weights))

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column of the deepest search that the budget allows."""
        started = self.now()
        search, budget = self._search, self._budget
        search.set_position(moves, depth=budget.depth)
        if budget.nodes is not None:
            search.visit(budget.nodes)
        elif budget.depth is not None:
            while search.advance(1 << 62):
                pass
        else:
            spend(search, budget, share=CLOCK_SHARE, started=started, now=self.now)
        return _answer(search.result, search.nodes, self._cells - len(moves))


def _answer(result: DeepeningResult, nodes: int, left: int) -> Choice:
    proven: Literal["win", "loss", "draw"] | None = None
    distance = None
    value = result.value / (HALF_WON + abs(result.value))
    if result.value >= DECIDED:
        proven, value, distance = "win", 1.0, WON - result.value
    elif result.value <= -DECIDED and result.complete:
        proven, value, distance = "loss", -1.0, WON + result.value
    elif result.complete and result.depth == left:
        proven, value = "draw", 0.0
    return Choice(
        result.column,
        Info(
            nodes=nodes,
            depth=result.depth,
            value=value,
            proven=proven,
            distance=distance,
            pv=result.line,
        ),
    )
