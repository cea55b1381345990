"""What a reader should know before trusting the numbers of a rating list.

These are findings; `reports.report.notes` puts them into words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.stats.pool.agreement import LargestDeviation
from ladder.stats.pool.goodness import Cycle, Residual


@dataclass(frozen=True, slots=True)
class NoRatedGames:
    """The list is empty."""


@dataclass(frozen=True, slots=True)
class FormerRevisions:
    """Games of bots whose code has changed since, which do not count."""

    games: int


@dataclass(frozen=True, slots=True)
class NotConnected:
    """Bots that no games connect with most of the others, so that they have no rating."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Shutouts:
    """Bots that won, or lost, all their games."""

    won: bool
    bounds: Sequence[tuple[str, float]]
    """Name, and the Elo that it has at least or at most, 95 % sure."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """One number per bot does not describe the games."""

    chance: float
    """Of residuals this large if it did, 0..1."""
    largest: Residual


@dataclass(frozen=True, slots=True)
class Circle:
    """Three bots that beat each other in a circle."""

    chance: float
    """Of a cycle this strong if there were none, 0..1."""
    cycle: Cycle


@dataclass(frozen=True, slots=True)
class RepeatedGames:
    """Too many games are equal to others."""

    distinct: int
    games: int


@dataclass(frozen=True, slots=True)
class DelayedMoves:
    """Moves that were asked again because the host delayed the bot."""

    moves: int
    share: float
    """Of the attempts at games, 0..1."""


@dataclass(frozen=True, slots=True)
class SharedMachine:
    """Bots waited for the processor."""

    share: float
    """Processor time over the wall time of their moves, 0..1."""


@dataclass(frozen=True, slots=True)
class MachineDisagrees:
    """The games of one machine differ from those of the others."""

    machine: str
    chance: float
    """Of a machine this far off if it agreed, times the machines."""
    surprise: LargestDeviation | None


@dataclass(frozen=True, slots=True)
class RetiredLeftOut:
    """Retired bots that are not shown although their games count."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class RetiredOpponents:
    """Retired opponents that are not shown."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class PartShown:
    """Only some of the bots are shown."""

    shown: int
    ranked: int


Note = (
    NoRatedGames
    | FormerRevisions
    | NotConnected
    | Shutouts
    | Misfit
    | Circle
    | RepeatedGames
    | DelayedMoves
    | SharedMachine
    | MachineDisagrees
    | RetiredLeftOut
    | RetiredOpponents
    | PartShown
)
