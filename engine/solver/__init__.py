"""The solver: exact values of positions, win, draw or loss and the distance in plies.

The words for values load at once; the solver itself, and the compiler with it, when it is asked
for: a report of what was solved needs neither.
"""

from typing import TYPE_CHECKING, Any

from engine.solver.errors import SolverError
from engine.solver.value import Outcome, Solution, Value, best_columns

if TYPE_CHECKING:
    from engine.solver.solver import (
        DEFAULT_TABLE_MIB,
        MAX_TABLE_MIB,
        MIN_TABLE_MIB,
        Solver,
        solution_of_move,
    )

__all__ = [
    "DEFAULT_TABLE_MIB",
    "MAX_TABLE_MIB",
    "MIN_TABLE_MIB",
    "SOLVER_VERSION",
    "Outcome",
    "Solution",
    "Solver",
    "SolverError",
    "Value",
    "best_columns",
    "solution_of_move",
]

SOLVER_VERSION = 4
"""Grows whenever answers under a limit or node counts may change."""


def __getattr__(name: str) -> Any:
    """The solver's own names, by a first use of one of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from engine.solver import solver

    return getattr(solver, name)
