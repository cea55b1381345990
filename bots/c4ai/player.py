"""The player c4ai."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bots.budget import Budget
from bots.c4ai.deepening import Deepening, Verdict
from bots.c4ai.evaluate import weight_array
from bots.c4ai.search import DECIDED, WON
from bots.c4ai.weights import PUBLISHED, find_weights
from bots.options import read_options
from bots.player import Choice, Info
from bots.simulation_budget import spend
from engine.board import Board

CLOCK_SHARE = 0.95
"""Part of the move time that is used."""
HALF = 1000
"""The static value that is told as 0.5; published weights give a probable win 936."""


@dataclass(frozen=True, slots=True)
class Options:
    """What can be chosen."""

    weights: str = PUBLISHED
    """``published``, a CSV file, or six numbers, see `bots.c4ai.weights`."""


class C4ai:
    """One side of one game. It draws nothing: under a work budget the moves tell all."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side, seed
        self._budget = budget
        self._cells = board.cells
        weights = find_weights(read_options(Options, options).weights)
        self._search = Deepening(board, weight_array(weights))

    def choose(self, moves: Sequence[int]) -> Choice:
        """The best column of the deepest search that the budget allows."""
        started = time.perf_counter()
        search, budget = self._search, self._budget
        search.look_at(moves, depth=budget.depth)
        if budget.nodes is not None:
            search.visit(budget.nodes)
        elif budget.depth is not None:
            while search.advance(1 << 62):
                pass
        else:
            spend(search, budget, share=CLOCK_SHARE, started=started)
        return _answer(search.verdict, search.nodes, self._cells - len(moves))


def _answer(verdict: Verdict, nodes: int, left: int) -> Choice:
    proven: Literal["win", "loss", "draw"] | None = None
    distance = None
    value = verdict.value / (HALF + abs(verdict.value))
    if verdict.value >= DECIDED:
        proven, value, distance = "win", 1.0, WON - verdict.value
    elif verdict.value <= -DECIDED and verdict.complete:
        proven, value, distance = "loss", -1.0, WON + verdict.value
    elif verdict.complete and verdict.depth == left:
        proven, value = "draw", 0.0
    return Choice(
        verdict.column,
        Info(
            nodes=nodes,
            depth=verdict.depth,
            value=value,
            proven=proven,
            distance=distance,
            pv=verdict.line,
        ),
    )
