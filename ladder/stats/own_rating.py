"""A bot's own rating in a list: its value and error, or the bound after a shutout."""

from dataclasses import dataclass

UNKNOWN = "-"
"""The words for a number that does not exist."""


@dataclass(frozen=True)
class Rating:
    """A bot's own rating in a list, against the mean of all, or against the anchors."""

    elo: float | None = None
    """None if no games connect it with the list. The prior determines it between bounds."""
    error95: float | None = None
    """Half the 95 % interval of the fit."""
    at_least: float | None = None
    """Lower end of the interval of a bot that won everything; else None."""
    at_most: float | None = None
    """Upper end of the interval of a bot that lost everything; else None."""

    @property
    def is_measured(self) -> bool:
        """Whether there is a value, and not only a bound."""
        return self.elo is not None and self.at_least is None and self.at_most is None

    @property
    def low(self) -> float | None:
        """Lower end of the interval; None if it is open."""
        if self.is_measured:
            return (self.elo or 0.0) - (self.error95 or 0.0)
        return self.at_least

    @property
    def high(self) -> float | None:
        """Upper end of the interval; None if it is open."""
        if self.is_measured:
            return (self.elo or 0.0) + (self.error95 or 0.0)
        return self.at_most

    def cells(self) -> tuple[str, str]:
        """Return the value, or the bound, and the error as cells of a table."""
        if self.at_least is not None:
            return f"at least {self.at_least:.0f}", UNKNOWN
        if self.at_most is not None:
            return f"at most {self.at_most:.0f}", UNKNOWN
        if self.elo is None:
            return UNKNOWN, UNKNOWN
        return f"{self.elo:.0f}", f"{self.error95 or 0.0:.0f}"

    def words(self) -> str:
        """Return the value with its error, or the bound."""
        value, error = self.cells()
        return f"{value} ± {error}" if self.is_measured else value
