"""The cost of a gate: the expected games of the likelihood ratio against one baseline.

The early test needs fewer games in obvious cases, which these figures leave out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.stats.sprt import Sprt, Walk, walk
from ladder.stats.sprt_estimate import forecast_test

TYPICAL = (14, 1, 70, 1, 14)
"""Pairs by points between equal players on `thu`, of which 70 % are tied."""


@dataclass(frozen=True, slots=True)
class ExpectedGames:
    """Mean numbers of games until a decision, at true differences in strength."""

    at_elo0: float
    at_elo1: float
    between: float
    """At the difference in the middle, where a decision takes longest."""
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
    middle = (test.elo0 + test.elo1) / 2
    return ExpectedGames(games(test.elo0), games(test.elo1), games(middle), measured)


def _measured(pentanomial: Sequence[int], path: Walk) -> float:
    """Return the measured difference as a t-value of a pair."""
    pairs = sum(pentanomial)
    mean = sum(place * count for place, count in enumerate(pentanomial)) / (4 * pairs)
    deviation = path.deviation
    if deviation is None:
        squares = sum((place / 4 - mean) ** 2 * n for place, n in enumerate(pentanomial))
        deviation = max(squares / pairs, 1e-4) ** 0.5
    return (mean - 0.5) / deviation
