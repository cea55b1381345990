"""The evidence of pairs for drops of several sizes against no drop, as likelihood ratios."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.choices import Model
from ladder.stats.counts import FloatArray, checked, regularised, unit_scores
from ladder.stats.elo import NORMALIZED, elo_to_score
from ladder.stats.likelihood import under_mean, under_t_value


def drop_evidence(*, counts: ArrayLike, drops: Sequence[float], model: Model) -> FloatArray:
    """Log-likelihood of each drop less that of no drop: pentanomial counts (..., 5) -> (..., m).

    Shares that a hypothesis leaves open are those of highest likelihood under it (Van den Bergh
    2019). The negative of `ladder.stats.sprt.llr` between the two, at m drops in Elo of the model
    at once. Counts may be fractions, as where repeated pairs weigh less; no pairs are no evidence.

    Raises UsageError for counts that are not counts.
    """
    array = regularised(counts=counts)
    units = array.sum(axis=-1)
    frequencies = array / units[..., None]
    likeliest = [_likeliest(frequencies, -drop, model) for drop in (0.0, *drops)]
    ratios = np.log(np.stack(likeliest[1:], axis=-2) / likeliest[0][..., None, :])
    evidence = units[..., None] * np.sum(frequencies[..., None, :] * ratios, axis=-1)
    played = checked(counts=counts).sum(axis=-1) > 0.0
    return np.asarray(np.where(played[..., None], evidence, 0.0))


def _likeliest(frequencies: FloatArray, elo: float, model: Model) -> FloatArray:
    scores = unit_scores(size=frequencies.shape[-1])
    if model is Model.NORMALIZED:
        t = elo / NORMALIZED * 2.0**0.5
        return under_t_value(frequencies=frequencies, scores=scores, reference=0.5, t=t)
    mean = np.full(frequencies.shape[:-1], elo_to_score(elo=elo))
    return under_mean(frequencies=frequencies, scores=scores, mean=mean)
