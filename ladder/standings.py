"""Standings: what the stored aggregate of a division says about its bots. Pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from db.rows import PairTableRow
from engine.result import FORFEITS
from ladder.ratings.pool import PoolTable, rate_pool

FORFEIT_SHARE = 0.02
FORFEIT_MINIMUM = 3
"""A bot with more forfeits than this share of its games, and at least so many, is marked."""
DISTINCT_SHARE = 0.9
"""Fewer distinct games than this share make a report warn."""


@dataclass(frozen=True, slots=True)
class BotStanding:
    """One row of a rating list."""

    name: str
    rank: int
    elo: float | None
    """Maximum likelihood over the pool."""
    elo_live: float | None
    """Sequential Elo."""
    error95: float | None
    """Half width of the 95 % interval of `elo`, with the pair as the unit."""
    games: int
    wins: int
    draws: int
    losses: int
    forfeits: Mapping[str, int]
    """By termination; all of them are among the losses."""
    simulations_per_second: float | None
    """Simulations, or nodes for players that count those; None when the bot tells nothing."""
    mean_move_ms: float | None
    max_move_ms: float | None
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why a number is None."""
    over_budget: bool = False
    """The mean move takes longer than the budget: the margin is no gift."""

    @property
    def score(self) -> float:
        """Points per game, a draw counting half."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0

    @property
    def win_rate(self) -> float:
        """Wins per game."""
        return self.wins / self.games if self.games else 0.0

    @property
    def all_forfeits(self) -> int:
        """Games lost by failing."""
        return sum(self.forfeits.values())

    @property
    def unreliable(self) -> bool:
        """More forfeits than a rating can bear."""
        count = self.all_forfeits
        return count >= FORFEIT_MINIMUM and count > FORFEIT_SHARE * self.games


@dataclass(frozen=True, slots=True)
class PairStanding:
    """How two bots did against each other, from A's side."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    pentanomial: tuple[int, int, int, int, int]
    """Pairs by A's points in them: 0, 0.5, 1, 1.5, 2."""


@dataclass(frozen=True, slots=True)
class Standings:
    """A division's rating list and pair table."""

    boards: str
    budget: Mapping[str, int]
    opening_plies: int
    label: str
    games: int
    distinct_games: int
    first_mover_score: float | None
    """Points per game of the side that moved first."""
    draw_rate: float | None
    bots: Sequence[BotStanding]
    """Best first."""
    pairs_table: Sequence[PairStanding]
    first_mover_elo: Mapping[str, float] = field(default_factory=dict)
    """The fitted first-mover advantage in Elo by board class."""
    notes: Sequence[str] = ()
    """Sentences that a reader should know before trusting the numbers."""

    @property
    def pairs(self) -> int:
        """Finished pairs."""
        return self.games // 2


def first_mover_points2(counts: Sequence[int]) -> int:
    """Twice the points that the side moving first won in both games of all pairs.

    `counts` are the nine of `PairTableRow`.
    """
    return sum(
        counts[3 * first + second] * (first + 2 - second)
        for first in range(3)
        for second in range(3)
    )


def per_second(count: int, time_us: int) -> float | None:
    """A rate, None when nothing was counted or no time passed."""
    return count / time_us * 1e6 if count and time_us else None


def finite(value: float) -> float | None:
    """The value, None when it is not finite."""
    return value if math.isfinite(value) else None
