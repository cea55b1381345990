"""The solver: exact values of positions, win, draw or loss and the distance in plies."""

from engine.solver.errors import SolverError
from engine.solver.solver import (
    DEFAULT_TABLE_MIB,
    MAX_TABLE_MIB,
    MIN_TABLE_MIB,
    Solver,
    solution_of_move,
)
from engine.solver.value import Outcome, Solution, Value, best_columns

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
