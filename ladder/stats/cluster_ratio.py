"""The error of a ratio of two sums whose units come in clusters."""

import math

import numpy as np
import numpy.typing as npt

from ladder.stats.elo import Z95


def ratio_error95(parts: npt.NDArray[np.float64], wholes: npt.NDArray[np.float64]) -> float | None:
    """Return half the 95 % interval of ``sum(parts) / sum(wholes)`` for independent clusters.

    This is the linearised variance of a ratio (Cochran, *Sampling Techniques*, 1977, section 6.3).
    If all parts are 0, the result is ``3 / sum(wholes)``: the largest ratio with which that still
    happens in 5 % of cases.

    Args:
        parts: counts by cluster, shape (n,).
        wholes: the counts that include them, shape (n,).

    Returns:
        The error, or None without counts or with only one cluster.

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
