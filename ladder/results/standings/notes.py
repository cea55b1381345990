"""Notes on a rating list: what limits the trust in its numbers.

These are values; `reports.report.standings` phrases them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from db.records.runs import PausedBot
from ladder.stats.pool.goodness import Residual


@dataclass(frozen=True, slots=True)
class NoRatedGames:
    """The list has no games."""


@dataclass(frozen=True, slots=True)
class FormerRevisions:
    """Games that do not count because a bot's code has changed since."""

    games: int


@dataclass(frozen=True, slots=True)
class NotConnected:
    """Bots without a rating because no games connect them with most of the others."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Shutouts:
    """Bots that won, or lost, all their games."""

    won: bool
    bounds: Sequence[tuple[str, float]]
    """Each bot's name and the 95 % bound of its Elo."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Games that one rating per bot does not describe well."""

    chance: float
    """Chance of such residuals if it did, from 0 to 1."""
    largest: Residual


@dataclass(frozen=True, slots=True)
class RepeatedGames:
    """Too many repeated games."""

    distinct: int
    games: int


@dataclass(frozen=True, slots=True)
class DelayedMoves:
    """Delays by the machine: late answers that counted, and pairs played again."""

    moves: int
    share: float
    """Ratio to the number of games and such moves, from 0 to 1."""
    is_timed: bool
    """Whether the games have a time budget, which a work budget can replace."""


@dataclass(frozen=True, slots=True)
class PausedInRun:
    """Bots that were paused in the latest run."""

    run: int
    bots: Sequence[PausedBot]


@dataclass(frozen=True, slots=True)
class RetiredLeftOut:
    """Retired bots that are not shown although their games count."""

    bots: int


@dataclass(frozen=True, slots=True)
class RetiredOpponents:
    """Retired opponents that are not shown."""

    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class PartShown:
    """A list that shows only some of the bots."""

    shown: int
    ranked: int


Note = (
    NoRatedGames
    | FormerRevisions
    | NotConnected
    | Shutouts
    | Misfit
    | RepeatedGames
    | DelayedMoves
    | PausedInRun
    | RetiredLeftOut
    | RetiredOpponents
    | PartShown
)
