"""A ratio of two sums with its error, when the units of the sums come in clusters."""

import math

import numpy as np
import numpy.typing as npt

from ladder.stats.elo import Z95


def ratio_error95(parts: npt.NDArray[np.float64], wholes: npt.NDArray[np.float64]) -> float | None:
    """Half the 95 % interval of ``sum(parts) / sum(wholes)`` when the clusters are independent.

    The linearised variance of a ratio (Cochran, *Sampling Techniques*, 1977, section 6.3). Where no
    cluster has any part the data hold no spread: then it is the largest ratio that would still
    leave all of them without one in 5 % of cases, ``3 / sum(wholes)``.

    Args:
        parts: counts of one cluster each, shape (n,).
        wholes: the counts that they are a part of, shape (n,).

    Returns:
        None where there is no whole, or only one cluster.

    """
    whole = float(wholes.sum())
    clusters = int((wholes > 0).sum())
    if whole == 0 or clusters < 2:
        return None
    if not parts.any():
        return min(1.0, 3.0 / whole)
    ratio = float(parts.sum()) / whole
    residuals = parts - ratio * wholes
    variance = clusters / (clusters - 1) * float((residuals**2).sum()) / whole**2
    return Z95 * math.sqrt(variance)
