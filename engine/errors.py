"""Errors of the engine.

EngineError
|-- BoardError       a board specification breaks a rule
|-- IllegalMove      a column cannot be played in this position
|-- NotationError    the text of a game or position cannot be parsed
|-- OpeningError     a board has no opening of the requested length
`-- SolverError      the solver cannot solve a position (in `engine.solver.value`)
"""


class EngineError(ValueError):
    """Base class of the engine's errors; the message is one sentence for the user."""


class BoardError(EngineError):
    """A board specification breaks a rule; the message names the rule."""


class IllegalMove(EngineError):
    """A column cannot be played; the message names it and the legal columns."""


class NotationError(EngineError):
    """The text of a game or position cannot be parsed; the message names the bad character."""


class OpeningError(EngineError):
    """No opening of the requested length was found on the board."""
