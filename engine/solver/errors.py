"""Errors of the solver, separate from `engine.errors`, which players import."""

from engine.errors import EngineError


class SolverError(EngineError):
    """The solver cannot solve a position; the message names what it can solve."""
