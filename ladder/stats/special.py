"""Special functions of the statistics; scipy is imported only when one needs it.

scipy has no type information and loads slowly, so only this module imports it.
"""

import math
from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.counts import FloatArray, IntArray


def log_normal_cdf(z: ArrayLike) -> FloatArray:
    """Return the logarithm of the standard normal distribution function, without overflow."""
    from scipy.special import log_ndtr  # type: ignore[import-untyped]

    return cast(FloatArray, np.asarray(log_ndtr(z), dtype=np.float64))


def find_root(
    function: Callable[[float], float],
    *,
    low: float,
    high: float,
    start: tuple[float, float],
    tolerance: float = 1e-11,
) -> float:
    """Find the root of an increasing function between `low` and `high`, else the nearer end.

    Steps are secants, the first through the two places of `start`; where one leaves the bracket, it
    is halved. `tolerance` is relative to the root. scipy's brentq is not used, because loading
    `scipy.optimize` takes longer than all computations of a report.
    """
    rounding = 1e-15 * (high - low)
    last, at = start
    last_value = function(last)
    for _ in range(100):
        value = function(at)
        low, high = (at, high) if value < 0.0 else (low, at)
        slope = (value - last_value) / (at - last)
        step = at - value / slope if slope > 0.0 else math.nan
        last, last_value = at, value
        at = step if low <= step <= high else 0.5 * (low + high)
        if abs(at - last) <= tolerance * abs(at) + rounding:
            break
    return at


def chi_square_tail(*, value: float, freedom: int) -> float:
    """Return the probability that a chi-square with `freedom` degrees is above `value`.

    These are the finite sums of Abramowitz and Stegun (1964, 26.4.4 and 26.4.5), in logarithms so
    that many degrees of freedom do not underflow. scipy is not used, because loading it would take
    a third of a report's time.
    """
    if value <= 0.0:
        return 1.0
    half = 0.5 * value
    odd = freedom % 2
    total = math.erfc(math.sqrt(half)) if odd else 0.0
    for step in range(freedom // 2):
        power = step + 0.5 * odd
        total += math.exp(power * math.log(half) - half - math.lgamma(power + 1.0))
    return min(1.0, total)


def strong_groups(*, size: int, tails: IntArray, heads: IntArray) -> IntArray:
    """Label the strongly connected components of a directed graph in topological order."""
    from scipy.sparse import coo_matrix  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]

    graph = coo_matrix((np.ones(tails.size), (tails, heads)), shape=(size, size))
    _, labels = connected_components(graph, directed=True, connection="strong")
    order = cast(IntArray, np.asarray(labels, dtype=np.int64))
    # Tarjan's algorithm completes the last component of the topological order first.
    return order if _descends(order, tails, heads) else order.max(initial=0) - order


def _descends(labels: IntArray, tails: IntArray, heads: IntArray) -> bool:
    return bool(np.all(labels[tails] <= labels[heads]))


def has_ascent(*, better: FloatArray, equal: FloatArray) -> bool:
    """Return whether a vector has no negative product with `better` rows, a positive one with some.

    Its product with each of the `equal` rows is 0.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped]
    from scipy.sparse import csr_matrix, eye, hstack

    count, size = better.shape
    if count == 0:
        return False
    # Each product counts at most 1: a long vector brings it there, so the highest sum is a number
    # of rows, and no tolerance has to tell small from zero.
    found = linprog(
        np.r_[np.zeros(size), -np.ones(count)],
        A_ub=hstack([csr_matrix(-better), eye(count)]),
        b_ub=np.zeros(count),
        A_eq=hstack([csr_matrix(equal), csr_matrix((len(equal), count))]),
        b_eq=np.zeros(len(equal)),
        bounds=[*[(None, None)] * size, *[(0.0, 1.0)] * count],
    )
    return bool(-found.fun > 0.5)
