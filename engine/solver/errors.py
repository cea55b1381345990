"""The refusal of the solver; apart from `engine.errors`, which players are made of."""

from engine.errors import EngineError


class SolverError(EngineError):
    """A question that the solver cannot answer; the message says what it can be asked."""
