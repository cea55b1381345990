"""The refusals of the engine.

EngineError
|-- BoardError       a board specification that breaks a rule; the caller's input is wrong
|-- IllegalMove      a column that cannot be played in this position
|-- NotationError    a written game or position that cannot be read
|-- OpeningError     no opening of the asked length exists on this board
`-- SolverError      a question that the solver cannot answer (in `engine.solver.errors`)
"""


class EngineError(ValueError):
    """Base of the engine's errors; the message is one sentence for the person who can fix it."""


class BoardError(EngineError):
    """A board specification breaks a rule; the message names the rule."""


class IllegalMove(EngineError):
    """A column cannot be played; the message names the column and the legal ones."""


class NotationError(EngineError):
    """A written game or position cannot be read; the message names the first bad character."""


class OpeningError(EngineError):
    """No opening of the asked length was found on the board."""
