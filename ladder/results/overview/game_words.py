"""Values of conditions on games. Imports nothing heavy, as help lists them."""

from enum import StrEnum

from engine.result import Result, Termination

FORFEIT = "forfeit"
"""Any kind of forfeit."""
ENDINGS = (FORFEIT, *(each.value for each in Termination if each is not Termination.ABORTED))


class BotResult(StrEnum):
    """A result for the bot, or without a bot for the first player."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"

    # The words of stored results and of JSON output are accepted, too.
    @classmethod
    def _missing_(cls, value: object) -> "BotResult | None":
        return {"win": cls.WON, "loss": cls.LOST, "draw": cls.DRAWN}.get(str(value))

    @property
    def result(self) -> Result:
        """The result as it is stored."""
        return {self.WON: Result.WIN, self.LOST: Result.LOSS, self.DRAWN: Result.DRAW}[self]


class Mover(StrEnum):
    """Which move of a game the bot makes, the first or the second."""

    FIRST = "first"
    SECOND = "second"
