"""The cost of a gate: the expected games of the likelihood ratio against one baseline.

The early test needs fewer games in obvious cases, which these figures leave out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.stats.brownian import mean_time
from ladder.stats.sprt import Sprt, Walk, sprt_result, walk
from ladder.stats.sprt_estimate import SIEGMUND, forecast_test

NEAREST = 0.05
"""Smallest distance to a bound, in deviations of a step."""


@dataclass(frozen=True, slots=True)
class ExpectedGames:
    """Mean numbers of games until a decision, at three true differences in strength."""

    if_equal: float
    """For a candidate that is as strong as the baseline."""
    if_worse: float
    """For a candidate that is worse by the largest drop."""
    as_measured: float | None
    """For the measured difference; None without pairs."""


def expected_games(pentanomial: Sequence[int], test: Sprt) -> ExpectedGames:
    """Return the expected games of a test for pairs with this spread (Wald 1945, Siegmund 1985)."""

    def games(elo: float) -> float:
        return forecast_test(elo=elo, counts=pentanomial, test=test).games

    measured = None
    if any(pentanomial):
        path = walk(counts=pentanomial, test=test)
        measured = games(path.elo(t=_measured(pentanomial, path)))
    return ExpectedGames(games(test.elo1), games(test.elo0), measured)


def games_left(pentanomial: Sequence[int], test: Sprt) -> float | None:
    """Return the mean number of games from now until the decision, at the measured difference.

    Returns:
        None before the first pair.

    """
    if not any(pentanomial):
        return None
    path, result = walk(counts=pentanomial, test=test), sprt_result(counts=pentanomial, test=test)
    down = SIEGMUND + (result.llr - result.lower) / path.step
    up = SIEGMUND + (result.upper - result.llr) / path.step
    drift = _measured(pentanomial, path) - path.middle
    return 2 * mean_time(drift=drift, down=max(down, NEAREST), up=max(up, NEAREST))


def _measured(pentanomial: Sequence[int], path: Walk) -> float:
    """Return the measured difference as a t-value of a pair."""
    pairs = sum(pentanomial)
    mean = sum(place * count for place, count in enumerate(pentanomial)) / (4 * pairs)
    deviation = path.deviation
    if deviation is None:
        squares = sum((place / 4 - mean) ** 2 * n for place, n in enumerate(pentanomial))
        deviation = max(squares / pairs, 1e-4) ** 0.5
    return (mean - 0.5) / deviation
