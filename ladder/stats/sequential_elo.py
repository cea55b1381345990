"""The live rating: sequential Elo, updated after every pair of games.

The live table shows it; the rating list is from `ladder.stats.pool.rating`.
"""

from typing import NamedTuple

from db.records.aggregate import RatingRow
from ladder.errors import UsageError

START = 1000.0
"""Elo of a bot without games."""
K_NEW = 32.0
"""K factor of a bot's first games."""
K_SETTLED = 16.0
"""K factor of later games."""
NEW_GAMES = 30
"""Number of games with `K_NEW`."""
SCALE = 400.0
"""Elo difference with an expected score of 10 to 1."""


class LiveUpdate(NamedTuple):
    """Both bots' Elo after a pair."""

    elo_a: float
    elo_b: float


def k_factor(*, games: int) -> float:
    """Return the K factor of a bot with this number of finished games."""
    return K_NEW if games < NEW_GAMES else K_SETTLED


def expected_score(*, elo_a: float, elo_b: float) -> float:
    """Return a's expected score per game, 0..1, from ratings in Elo (Elo 1978, logistic form)."""
    gap = (elo_b - elo_a) / SCALE
    if gap > 300.0:  # beyond this 10**gap leaves the range of floats
        return 0.0
    return float(1.0 / (1.0 + 10.0**gap))


def update(
    *, elo_a: float, games_a: int, elo_b: float, games_b: int, points_a: float
) -> LiveUpdate:
    """Update both Elo ratings after a pair of games (Elo 1978, with the pair as the unit).

    `games_a` and `games_b` are the numbers of finished games before the pair and determine each
    bot's K; `points_a` are A's points in both games, 0..2. Expected scores are from the ratings
    before the pair, so the order of the two games does not matter.

    Raises:
        UsageError: `points_a` is outside 0..2.

    """
    if not 0.0 <= points_a <= 2.0:
        raise UsageError(f"a pair's points must be 0..2, got {points_a}")
    surprise = points_a - 2.0 * expected_score(elo_a=elo_a, elo_b=elo_b)
    return LiveUpdate(
        elo_a=elo_a + k_factor(games=games_a) * surprise,
        elo_b=elo_b - k_factor(games=games_b) * surprise,
    )


def rate_pair(a: RatingRow, b: RatingRow, points: float) -> tuple[float, float]:
    """Return the live ratings of A and B after a pair in which A got `points` of 2."""
    return update(elo_a=a.elo, games_a=a.games, elo_b=b.elo, games_b=b.games, points_a=points)
