"""Likelihood ratios of drops of several sizes against no drop."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.choices import Model
from ladder.stats.counts import FloatArray, check_counts, regularise_counts
from ladder.stats.sprt import likeliest


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
    found = [likeliest(frequencies=frequencies, elo=-drop, model=model) for drop in (0.0, *drops)]
    ratios = np.log(np.stack(found[1:], axis=-2) / found[0][..., None, :])
    evidence = units[..., None] * np.sum(frequencies[..., None, :] * ratios, axis=-1)
    played = check_counts(counts=counts).sum(axis=-1) > 0.0
    return np.asarray(np.where(played[..., None], evidence, 0.0))
