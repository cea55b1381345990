"""Outcomes, values and bounds on the value of a position, and the solver's error."""

from dataclasses import dataclass
from enum import IntEnum
from functools import total_ordering
from typing import Final

from engine.errors import EngineError

SOLVER_VERSION: Final = 5
"""Version of the solver's results; raise it when bounds under a limit or node counts change. A book
does not count: it replaces bounds by exact values."""


class SolverError(EngineError):
    """The solver cannot solve a position; the message names what it can solve."""


class Outcome(IntEnum):
    """The result under best play for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1

    def __str__(self) -> str:
        return self.name.lower()


@total_ordering
@dataclass(frozen=True, slots=True)
class Value:
    """An outcome and its distance; sooner wins and later losses are greater."""

    outcome: Outcome
    distance: int | None = None
    """Plies to the end of the game, None for a draw."""

    def __lt__(self, other: "Value") -> bool:
        return self._rank < other._rank

    @property
    def _rank(self) -> tuple[int, int]:
        return int(self.outcome), -int(self.outcome) * (self.distance or 0)

    def __neg__(self) -> "Value":
        """Return the value for the other side, at the same distance."""
        return Value(Outcome(-self.outcome), self.distance)

    def __str__(self) -> str:
        if self.distance is None:
            return str(self.outcome)
        return f"{self.outcome} in {self.distance}"


@dataclass(frozen=True, slots=True)
class Solution:
    """Bounds on the value of a position for the side to move; exact when they meet."""

    low: Value
    """Lower bound."""
    high: Value
    """Upper bound."""
    nodes: int
    """Positions searched; forced moves and table hits do not count."""

    @property
    def is_exact(self) -> bool:
        """Whether outcome and distance are proven."""
        return self.low == self.high

    @property
    def outcome(self) -> Outcome | None:
        """The proven outcome, None if it is not proven."""
        return self.low.outcome if self.low.outcome == self.high.outcome else None

    @property
    def distance(self) -> int | None:
        """Plies to the end of the game, None for a draw or if it is not proven."""
        return self.low.distance if self.is_exact else None


def best_columns(columns: tuple[Solution | None, ...]) -> tuple[int, ...]:
    """Return the columns that are proven best, none if the bounds do not decide it."""
    known = [(number, found) for number, found in enumerate(columns) if found is not None]
    if not known:
        return ()
    best = max(found.low for _, found in known)
    if any(found.high > best and not found.is_exact for _, found in known):
        return ()
    return tuple(number for number, found in known if found.low == best)
