"""Solving a position in steps of some nodes, between which clocks and stop requests are checked."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.position import Position
from engine.solver.value import Solution, Value

if TYPE_CHECKING:
    from engine.solver.solver import Solver

FIRST_STEP = 10_000
"""Nodes of the first step: a few milliseconds."""
LONGEST_STEP = 400_000
"""Nodes between two checks: a few tenths of a second."""


def solve_stepwise(
    solver: "Solver",
    position: Position,
    *,
    weak: bool,
    nodes: int | None,
    is_over: Callable[[], bool],
    first_step: int = FIRST_STEP,
) -> Solution:
    """Solve step by step until the value is known, the nodes are used up or `is_over` is true.

    The solver keeps its table, so each step continues the last one.

    Args:
        solver: the solver of the position's board.
        position: a position that is not over.
        weak: whether only win, draw or loss is wanted, not the distance.
        nodes: node limit; None for no limit.
        is_over: called after each step.
        first_step: nodes of the first step; later ones grow from there to `LONGEST_STEP`.

    """
    step, spent = first_step, 0
    low: Value | None = None
    high: Value | None = None
    while True:
        size = step if nodes is None else min(step, nodes - spent)
        answer = solver.solve(position, weak=weak, nodes=size)
        spent += answer.nodes
        # The table may lose an entry between steps; bounds that were proven stay proven.
        low = answer.low if low is None else max(low, answer.low)
        high = answer.high if high is None else min(high, answer.high)
        answer = Solution(low, high, spent)
        if answer.is_exact or (weak and answer.outcome is not None):
            return answer
        if (nodes is not None and spent >= nodes) or is_over():
            return answer
        step = min(2 * step, LONGEST_STEP)
