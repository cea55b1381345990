"""Maximum likelihood of a multinomial under a constraint on its mean or its t-value.

Both are solved to convergence. The usual closed form, a normal approximation of the likelihood
ratio, is accurate for balanced counts, but wrong by orders of magnitude for one-sided ones.

All functions take any number of rows: frequencies of shape (..., k), positive and with sum 1, of
the scores of `ladder.stats.counts.unit_scores`.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.counts import FloatArray, unit_scores

_ROUNDS = 200
_TOLERANCE = 1e-12
_FLAT = 1e-12
_GRID = 41
_ZOOMS = 8


def under_mean(*, frequencies: FloatArray, mean: ArrayLike) -> FloatArray:
    """Return the maximum-likelihood probabilities with expected score `mean`, shape (..., k).

    `mean` broadcasts to the shape of the rows; it is strictly between 0 and 1. By Lagrange,
    p_i = f_i / (1 + x (a_i - mean)), where x is the only root of a decreasing function (Owen 1988,
    empirical likelihood; Van den Bergh 2019 for game results).
    """
    means = np.broadcast_to(np.asarray(mean, dtype=np.float64), frequencies.shape[:-1])
    return _tilt(frequencies, unit_scores(size=frequencies.shape[-1]) - means[..., None])


def under_t_value(*, frequencies: FloatArray, t: float) -> FloatArray:
    """Return the maximum-likelihood probabilities with (mean - 1/2) / deviation = t.

    Normalized Elo is this t-value times a factor (Van den Bergh 2020, "Normalized Elo"). Let t be
    positive, b = score - 1/2, and s an assumed deviation. The constraint E[g_s] = 0 with

        g_s(b) = b - t/2 (s + (b - t s)^2 / s)

    is linear. As the mean of s and v/s is at least the root of v, it touches the nonlinear one at
    deviation s, on the side of the higher t-values. Distributions with lower ones form a convex
    set. So for frequencies with a higher t-value, each s for which E[g_s] is positive gives an
    upper bound of the likelihood, and the lowest bound is the maximum; these s are the interval
    between two roots, and the bound has a single minimum there. For frequencies with a lower
    t-value, each s gives an allowed distribution, and the likeliest is the maximum. There may be
    several local maxima, each near an s at which a single score satisfies the constraint.
    """
    if t == 0.0:
        return under_mean(frequencies=frequencies, mean=0.5)
    if t < 0.0:
        return under_t_value(frequencies=frequencies[..., ::-1], t=-t)[..., ::-1]
    rows = frequencies.reshape(-1, frequencies.shape[-1])
    b = unit_scores(size=rows.shape[-1]) - 0.5
    mean, square = rows @ b, rows @ (b * b)
    share = t * t / (1.0 + t * t)
    root = mean * mean - share * square
    above = (mean > 0.0) & (root > 0.0)
    # The searches are over m = t s, the mean of b that belongs to s.
    top = np.where(above, mean + np.sqrt(np.maximum(root * (1.0 - share), 0.0)), 1.0)
    wins = b[b > 0.0]
    reach = math.sqrt(1.0 - share)
    low = np.maximum(wins * (1.0 - reach), wins[0] * share)
    high = np.minimum(wins * (1.0 + reach), wins[-1] * math.sqrt(share))
    p = _search(
        rows,
        t,
        np.where(above[:, None], (share * square / top)[:, None], low),
        np.where(above[:, None], top[:, None], high),
        np.where(above, -1.0, 1.0),
    )
    return p.reshape(frequencies.shape)


def _search(
    frequencies: FloatArray, t: float, low: FloatArray, high: FloatArray, sign: FloatArray
) -> FloatArray:
    """Return the probabilities with the highest log-likelihood times `sign`, shape (n, k).

    Args:
        frequencies: Rows, shape (n, k).
        t: The t-value, above 0.
        low: Where each search of a row begins, shape (n, searches).
        high: Where it ends.
        sign: 1 or -1 for each row.

    """
    b = unit_scores(size=frequencies.shape[-1]) - 0.5
    f = frequencies[:, None, None, :]
    start, end = np.log(low), np.log(high)
    for _ in range(_ZOOMS):
        step = (end - start) / (_GRID - 1)
        grid = start[..., None] + step[..., None] * np.arange(_GRID)
        s = np.exp(grid)[..., None] / t
        pulls = b - 0.5 * t * (s + (b - t * s) ** 2 / s)
        possible = (pulls.max(axis=-1) > _FLAT) & (pulls.min(axis=-1) < -_FLAT)
        p = _tilt(f, np.where(possible[..., None], pulls, b))
        value = sign[:, None, None] * np.sum(f * np.log(p), axis=-1)
        value = np.where(possible, value, -np.inf)
        best = value.argmax(axis=-1)[..., None]
        found = np.take_along_axis(grid, best, axis=-1)[..., 0]
        start, end = np.maximum(start, found - step), np.minimum(end, found + step)
    of_search = value.max(axis=-1).argmax(axis=-1)
    rows = np.arange(len(frequencies))
    return np.asarray(p[rows, of_search, best[rows, of_search, 0]])


def _tilt(frequencies: FloatArray, pulls: FloatArray) -> FloatArray:
    """Return f / (1 + x g) with x such that the expected g is 0; each row of g has both signs."""
    low = -1.0 / pulls.max(axis=-1)
    high = -1.0 / pulls.min(axis=-1)
    x = np.zeros(np.broadcast_shapes(low.shape, frequencies.shape[:-1]))
    low, high = np.broadcast_to(low, x.shape).copy(), np.broadcast_to(high, x.shape).copy()
    for _ in range(_ROUNDS):
        ratio = pulls / (1.0 + x[..., None] * pulls)
        weighted = frequencies * ratio
        value = weighted.sum(axis=-1)
        slope = (weighted * ratio).sum(axis=-1)
        low = np.where(value > 0, x, low)
        high = np.where(value > 0, high, x)
        newton = x + value / slope
        inside = (newton > low) & (newton < high)
        following = np.where(inside, newton, 0.5 * (low + high))
        done = np.abs(following - x) <= _TOLERANCE * (high - low) + 1e-15 * np.abs(x)
        done |= np.abs(value) < _TOLERANCE
        x = np.where(done, x, following)
        if bool(done.all()):
            break
    # Not divided by its sum, which is 1 up to rounding: thus an error of x, whose resolution is
    # coarse where 1 + x g is small, changes the likelihood only by its square.
    return np.asarray(frequencies / (1.0 + x[..., None] * pulls))
