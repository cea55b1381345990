"""Elo, normalized Elo and likelihood of superiority of one player over another, from counts.

Elo is logistic: 400 points are an expected score of 10 to 1, and a draw is half a win. Normalized
Elo is the same difference in standard deviations of a game's score, so that equal values need equal
numbers of games to be measured.
"""

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ladder.stats.counts import check_counts, games_per_unit, moments, unit_scores

SCALE = 400.0 / math.log(10.0)
"""Elo per unit of the natural logistic scale."""
NORMALIZED = 2.0 * SCALE
"""Normalized Elo per standard deviation of a game; without draws both scales agree near 0."""
SCORE_LIMIT = 1e-3
"""Least distance of a score from 0 and 1, which limits Elo to about 1200."""
Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


@dataclass(frozen=True)
class EloEstimate:
    """The numbers that fastchess prints; they are finite, or None without games.

    What the games say about who is better is `ladder.stats.difference`.
    """

    games: float
    score: float | None
    """Observed score per game, 0..1."""
    elo: float | None
    error95: float | None
    """Half the 95 % interval in Elo, from the spread of the units."""
    nelo: float | None
    nelo_error95: float | None
    los: float | None
    """Likelihood of superiority, 0..1."""


def score_to_elo(*, score: float) -> float:
    """Convert an expected score, 0..1, to Elo (Elo 1978), limited to ±1199.8 by `SCORE_LIMIT`."""
    inside = min(max(score, SCORE_LIMIT), 1.0 - SCORE_LIMIT)
    return -400.0 * math.log10(1.0 / inside - 1.0)


def elo_to_score(*, elo: float) -> float:
    """Convert a difference in Elo to the expected score, 0..1 (Elo 1978)."""
    return 0.5 * (1.0 + math.tanh(0.5 * elo / SCALE))


def normal_cdf(z: float) -> float:
    """Return the standard normal distribution function, accurate in the lower tail."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def estimate(*, counts: ArrayLike) -> EloEstimate:
    """Estimate Elo, normalized Elo and LOS from (L, D, W) or pentanomial counts.

    In `elo`, `error95`, `nelo` and `los` empty cells count as 0.001, so that shutouts and single
    games give finite numbers. `error95` is half the Elo difference between the ends of a normal
    interval of the score; the error of normalized Elo is that of its t-value (Van den Bergh 2020);
    LOS is the normal tail at an even score. After few or one-sided games they are conventions.

    Raises:
        UsageError: the counts are invalid (see `ladder.stats.counts.check_counts`).

    """
    array = check_counts(counts=counts)
    per_unit = games_per_unit(counts=array)
    units = float(array.sum())
    if units == 0.0:
        return EloEstimate(
            games=0.0, score=None, elo=None, error95=None, nelo=None, nelo_error95=None, los=None
        )  # fmt: skip
    seen = moments(counts=array)
    error = seen.deviation / math.sqrt(seen.units)
    low, high = seen.mean - Z95 * error, seen.mean + Z95 * error
    scores = unit_scores(size=array.shape[-1])
    return EloEstimate(
        games=units * per_unit,
        score=float(array @ scores) / units,
        elo=score_to_elo(score=seen.mean),
        error95=0.5 * (score_to_elo(score=high) - score_to_elo(score=low)),
        nelo=NORMALIZED * (seen.mean - 0.5) / (seen.deviation * math.sqrt(per_unit)),
        nelo_error95=NORMALIZED * Z95 / math.sqrt(seen.units * per_unit),
        los=normal_cdf((seen.mean - 0.5) / error),
    )
