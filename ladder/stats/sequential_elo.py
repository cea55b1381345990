"""The live rating: sequential Elo, moved once per pair of games.

It is what a running table shows; the rating list itself comes from `ladder.stats.pool.rating`.
"""

from typing import NamedTuple

from db.records.aggregate import RatingRow
from ladder.errors import UsageError

START = 1000.0
"""The rating in Elo of a bot without games."""
K_NEW = 32.0
"""Elo per point of surprise during a bot's first games."""
K_SETTLED = 16.0
"""Elo per point of surprise afterwards."""
NEW_GAMES = 30
"""Games during which a bot counts as new."""
SCALE = 400.0
"""Elo at which the expected score is 10 to 1."""


class LiveUpdate(NamedTuple):
    """Both bots' ratings in Elo after a pair."""

    elo_a: float
    elo_b: float


def k_factor(*, games: int) -> float:
    """Elo that one point of surprise moves a bot with this number of finished games."""
    return K_NEW if games < NEW_GAMES else K_SETTLED


def expected_score(*, elo_a: float, elo_b: float) -> float:
    """A's expected score per game, 0..1, from ratings in Elo (Elo 1978, logistic form)."""
    gap = (elo_b - elo_a) / SCALE
    if gap > 300.0:  # beyond this 10**gap leaves the range of floats
        return 0.0
    return float(1.0 / (1.0 + 10.0**gap))


def update(
    *, elo_a: float, games_a: int, elo_b: float, games_b: int, points_a: float
) -> LiveUpdate:
    """Move both ratings (Elo) for one pair of games (Elo 1978, with a pair as the unit).

    `games_a` and `games_b` count finished games before the pair and set each bot's own K;
    `points_a` is A's score summed over both games, 0..2. The expected score comes from the
    ratings before the pair, so the order of the two games does not matter.

    Raises UsageError when `points_a` is outside 0..2.
    """
    if not 0.0 <= points_a <= 2.0:
        raise UsageError(f"a pair's points must be 0..2, got {points_a}")
    surprise = points_a - 2.0 * expected_score(elo_a=elo_a, elo_b=elo_b)
    return LiveUpdate(
        elo_a=elo_a + k_factor(games=games_a) * surprise,
        elo_b=elo_b - k_factor(games=games_b) * surprise,
    )


def rate_pair(a: RatingRow, b: RatingRow, points: float) -> tuple[float, float]:
    """The new live ratings of A and B after a pair in which A made `points` of 2."""
    return update(elo_a=a.elo, games_a=a.games, elo_b=b.elo, games_b=b.games, points_a=points)
