"""Evidence about the mean of results: by bets, for a rate above its limit, and for drops.

Bets are valid at any time. A bettor starts with a capital of 1 and bets on every unit that the mean
of the results is above `mean`, at odds that are fair if it is `mean` and unfavourable if it is
lower. A stake of s turns a result x into a gain of 1 + s * (x - mean). By Ville (1939) the capital
ever reaches 1 / e with a probability of at most e, so deciding "above" at a capital of 1 / e is
wrong with a probability of at most e, however often it is computed. The units may depend on each
other, as long as each has that mean given those before it (Waudby-Smith and Ramdas 2023, for means
of bounded results).

The best stake is not known in advance, so the capital is divided evenly between several; the best
of them decides, and the division costs it a factor of their number.

Example: at a mean of 0.5 and a stake of 1.9, ten lost pairs (results 0, bet on "below") multiply
the capital by 1.95**10 = 795.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.counts import FloatArray, check_counts, regularise_counts, unit_scores
from ladder.stats.sprt import Model, likeliest

STAKES = 20
"""Number of stakes of `log_evidence_above`, from a twentieth to all of the capital."""
MOST_AT_STAKE = 0.99
"""Largest part of the capital that a unit can lose."""
RATES = (1.5, 2.5, 5.0, 15.0)
"""Rates to bet on in `log_evidence_of_rate`, in multiples of the limit."""


def log_evidence(
    *, counts: ArrayLike, results: ArrayLike, mean: float, stakes: Sequence[float]
) -> FloatArray:
    """Return the log of the capital made by bets on a mean above `mean`, (..., k) -> (...).

    Args:
        counts: numbers of units with each of the k results, which may be fractions.
        results: the results, 0..1, shape (k,).
        mean: the mean at which the bets are fair, 0..1.
        stakes: each above 0 and below 1 / mean, so that no result loses everything.

    """
    gains = np.log1p(np.outer(np.asarray(results) - mean, stakes))
    logs = np.asarray(counts, dtype=np.float64) @ gains
    return np.asarray(np.logaddexp.reduce(logs, axis=-1) - math.log(len(stakes)))


def log_evidence_above(*, counts: ArrayLike, mean: float) -> FloatArray:
    """Return the log evidence that a mean score is above `mean`, which is above 0.

    `counts` are trinomial or pentanomial, shape (..., k); the result has shape (...).
    """
    stakes = [MOST_AT_STAKE * part / STAKES / mean for part in range(1, STAKES + 1)]
    results = unit_scores(size=np.shape(counts)[-1])
    return log_evidence(counts=counts, results=results, mean=mean, stakes=stakes)


def log_evidence_below(*, counts: ArrayLike, mean: float) -> FloatArray:
    """Return the log evidence that a mean score is below `mean`, which is below 1."""
    return log_evidence_above(counts=np.asarray(counts)[..., ::-1], mean=1.0 - mean)


def log_evidence_of_rate(*, shares: Mapping[float, int], limit: float) -> float:
    """Return the log evidence that a rate is above `limit`, 0 without units.

    Comparing the share so far with the limit after every game would sooner or later condemn a rate
    far below it; this may be evaluated after every unit. `shares` is the number of units by result,
    0..1, for example of the games of a pair, whose dependence then does not matter. `limit` must be
    above 0 and below 1/15, because the rates to bet on must be below 1.
    """
    # With these stakes a unit of share 0 or 1 multiplies the capital by the likelihood ratio of the
    # rate that is bet on and the limit.
    stakes = [(times - 1.0) / (1.0 - limit) for times in RATES]
    found = log_evidence(
        counts=list(shares.values()), results=list(shares), mean=limit, stakes=stakes
    )
    return float(found)


def drop_evidence(*, counts: ArrayLike, drops: Sequence[float], model: Model) -> FloatArray:
    """Return the log-likelihood ratio of each of m drops against no drop: (..., 5) -> (..., m).

    Under each hypothesis the frequencies of results are those of maximum likelihood (Van den Bergh
    2019). The ratio is the negative of `ladder.stats.sprt.llr`; drops are in Elo of the model.
    Counts may be fractions, for example if repeated pairs weigh less; without pairs the ratio is 0.

    Raises:
        UsageError: the counts are invalid (see `ladder.stats.counts.check_counts`).

    """
    array = regularise_counts(counts=counts)
    units = array.sum(axis=-1)
    frequencies = array / units[..., None]
    elo = [-drop for drop in (0.0, *drops)]
    p = likeliest(frequencies=frequencies, elo=elo, model=model)
    ratios = np.log(p[..., 1:, :] / p[..., :1, :])
    evidence = units[..., None] * np.sum(frequencies[..., None, :] * ratios, axis=-1)
    played = check_counts(counts=counts).sum(axis=-1) > 0.0
    return np.asarray(np.where(played[..., None], evidence, 0.0))
