"""Elo, normalized Elo and likelihood of superiority of one player over another, from counts.

Elo is logistic: 400 points are an expected score of 10 to 1, and a draw is half a win. Normalized
Elo is the same difference in standard deviations of a game's score, so that equal values need equal
numbers of games to be measured.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.counts import (
    check_counts,
    games_per_unit,
    moments,
    regularise_counts,
    unit_scores,
)
from ladder.stats.likelihood import under_mean
from ladder.stats.one_sided import chance_of_shutout, least_score

SCALE = 400.0 / math.log(10.0)
"""Elo per unit of the natural logistic scale."""
NORMALIZED = 2.0 * SCALE
"""Normalized Elo per standard deviation of a game; without draws both scales agree near 0."""
SCORE_LIMIT = 1e-3
"""Least distance of a score from 0 and 1, which limits Elo to about 1200."""
Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
_CHI2_95 = Z95 * Z95


@dataclass(frozen=True)
class EloEstimate:
    """An estimate of one player over another; fields are finite, or None without games."""

    games: float
    score: float | None
    """Observed score per game, 0..1."""
    elo: float | None
    error95: float | None
    """Half the 95 % interval in Elo, from the spread of the units."""
    low95: float | None
    high95: float | None
    """Ends of the likelihood-ratio interval in Elo (Wilks 1938), also valid for shutouts."""
    nelo: float | None
    nelo_error95: float | None
    los: float | None
    """Likelihood of superiority, 0..1."""
    sure_los: float | None
    """The same, but a lower bound if the player won everything and an upper bound if it lost
    everything."""
    at_least: float | None = None
    """Lower bound of Elo with 95 % confidence; None unless the player won (nearly) everything, in
    which case `elo` and its errors are only a convention."""
    at_most: float | None = None
    """Upper bound of Elo with 95 % confidence; None unless the player lost (nearly) everything."""

    @property
    def is_bound(self) -> bool:
        """Whether the results are so one-sided that they give only a bound."""
        return self.at_least is not None or self.at_most is not None


def score_to_elo(*, score: float) -> float:
    """Convert an expected score, 0..1, to Elo (Elo 1978), limited to ±1199.8 by `SCORE_LIMIT`."""
    inside = min(max(score, SCORE_LIMIT), 1.0 - SCORE_LIMIT)
    return -400.0 * math.log10(1.0 / inside - 1.0)


def logit_elo(*, score: float) -> float:
    """Convert an expected score strictly between 0 and 1 to Elo, without a limit."""
    return SCALE * math.log(score / (1.0 - score))


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
    LOS is the normal tail at an even score. For shutouts these are the numbers that other tools
    print, but only `at_least`, `at_most` and `sure_los` are reliable (see
    `ladder.stats.one_sided`).

    Raises:
        UsageError: the counts are invalid (see `ladder.stats.counts.check_counts`).

    """
    array = check_counts(counts=counts)
    per_unit = games_per_unit(counts=array)
    units = float(array.sum())
    if units == 0.0:
        return EloEstimate(
            games=0.0, score=None, elo=None, error95=None, low95=None, high95=None,
            nelo=None, nelo_error95=None, los=None, sure_los=None,
        )  # fmt: skip
    seen = moments(counts=array)
    error = seen.deviation / math.sqrt(seen.units)
    low, high = seen.mean - Z95 * error, seen.mean + Z95 * error
    sure_low, sure_high = likelihood_interval(counts=array)
    scores = unit_scores(size=array.shape[-1])
    los = sure_los = normal_cdf((seen.mean - 0.5) / error)
    at_least = at_most = None
    lost, won = float(array[0]), float(array[-1])
    if won == units or seen.mean >= 1.0 - SCORE_LIMIT:
        at_least = score_to_elo(score=least_score(full=won, rest=units - won))
    elif lost == units or seen.mean <= SCORE_LIMIT:
        at_most = -score_to_elo(score=least_score(full=lost, rest=units - lost))
    if won == units:
        sure_los = 1.0 - chance_of_shutout(units=units)
    elif lost == units:
        sure_los = chance_of_shutout(units=units)
    return EloEstimate(
        games=units * per_unit,
        score=float(array @ scores) / units,
        elo=score_to_elo(score=seen.mean),
        error95=0.5 * (score_to_elo(score=high) - score_to_elo(score=low)),
        low95=score_to_elo(score=sure_low),
        high95=score_to_elo(score=sure_high),
        nelo=NORMALIZED * (seen.mean - 0.5) / (seen.deviation * math.sqrt(per_unit)),
        nelo_error95=NORMALIZED * Z95 / math.sqrt(seen.units * per_unit),
        los=los,
        sure_los=sure_los,
        at_least=at_least,
        at_most=at_most,
    )


def likelihood_interval(*, counts: ArrayLike) -> tuple[float, float]:
    """Return the ends of the likelihood-ratio 95 % interval of the score, 0..1 (Wilks 1938).

    Raises:
        UsageError: the counts are invalid (see `ladder.stats.counts.check_counts`).

    """
    array = regularise_counts(counts=counts)
    units = float(array.sum())
    frequencies = array / units
    scores = unit_scores(size=array.shape[-1])
    inside = np.full(2, float(frequencies @ scores))
    outside = np.array([1e-9, 1.0 - 1e-9])
    for _ in range(30):
        middle = 0.5 * (inside + outside)
        p = under_mean(frequencies=np.stack([frequencies] * 2), mean=middle)
        kept = 2.0 * units * (np.log(frequencies / p) @ frequencies) < _CHI2_95
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return float(inside[0]), float(inside[1])
