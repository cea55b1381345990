"""Words for conditions on games. Imports nothing heavy: help names them."""

from enum import StrEnum

from engine.result import Result, Termination

FORFEIT = "forfeit"
"""Any ending by failing."""
ENDINGS = (FORFEIT, *(each.value for each in Termination if each is not Termination.ABORTED))


class Outcome(StrEnum):
    """A result from the side of the bot; without a bot, from the side that moved first."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"

    @classmethod
    def _missing_(cls, value: object) -> "Outcome | None":
        return {"win": cls.WON, "loss": cls.LOST, "draw": cls.DRAWN}.get(str(value))

    @property
    def result(self) -> Result:
        """The stored result."""
        return {self.WON: Result.WIN, self.LOST: Result.LOSS, self.DRAWN: Result.DRAW}[self]


class Mover(StrEnum):
    """The side of a bot."""

    FIRST = "first"
    SECOND = "second"
