"""Maximum likelihood of a multinomial under a constraint on its mean or its t-value.

Both are solved to convergence. The usual closed form, a normal approximation of the likelihood
ratio, is accurate for balanced counts, but wrong by orders of magnitude for one-sided ones.

All functions take any number of rows: frequencies of shape (..., k), positive and with sum 1, and
ascending scores of shape (k,).
"""

import numpy as np

from ladder.stats.counts import FloatArray

_ROUNDS = 200
_TOLERANCE = 1e-12
_FLAT = 1e-12
_MISS = 1e-7
_NEARLY_CONVEX = 0.5
_GRID = 41
_ZOOMS = 9


def under_mean(*, frequencies: FloatArray, scores: FloatArray, mean: FloatArray) -> FloatArray:
    """Return the maximum-likelihood probabilities with expected score `mean`, shape (..., k).

    `mean` has the shape of the rows, strictly between the lowest and the highest score. By
    Lagrange, p_i = f_i / (1 + x (a_i - mean)), where x is the only root of a decreasing function
    (Owen 1988, empirical likelihood; Van den Bergh 2019 for game results).
    """
    return _tilt(frequencies, scores - np.asarray(mean)[..., None])


def under_t_value(
    *, frequencies: FloatArray, scores: FloatArray, reference: float, t: float
) -> FloatArray:
    """Return the maximum-likelihood probabilities with (mean - reference) / deviation = t.

    Normalized Elo is this t-value times a factor (Van den Bergh 2020, "Normalized Elo"). For an
    assumed deviation s, the constraint E[g_s] = 0 with

        g_s(a) = a - reference - t/2 (s + (a - reference - t s)^2 / s)

    is linear and touches the nonlinear one from inside at deviation s, because the mean of s and
    v/s is at least the root of v. So the result is the fixed point of s, found by iteration. If
    that fails, or if the set of allowed distributions is far from convex, it is found by a search
    over s.

    Raises:
        ValueError: no distribution on the scores has this t-value.

    """
    if t < 0.0:
        flipped = under_t_value(
            frequencies=frequencies[..., ::-1],
            scores=scores[0] + scores[-1] - scores[::-1],
            reference=float(scores[0] + scores[-1]) - reference,
            t=-t,
        )
        return flipped[..., ::-1]
    if t == 0.0:
        rows = np.full(frequencies.shape[:-1], reference)
        return under_mean(frequencies=frequencies, scores=scores, mean=rows)
    rows_of = frequencies.reshape(-1, frequencies.shape[-1])
    p = _fixed_point(rows_of, scores, reference, t)
    below = _t_gap(rows_of, scores, reference, t) < 0.0
    failed = np.abs(_t_gap(p, scores, reference, t)) > _MISS
    again = np.flatnonzero(failed | (below & (t > _NEARLY_CONVEX)))
    for row in again:
        p[row] = _search(rows_of[row], scores, reference, t, below=bool(below[row]))
    return np.asarray(p.reshape(frequencies.shape))


def _t_gap(p: FloatArray, scores: FloatArray, reference: float, t: float) -> FloatArray:
    """Return the mean minus the mean that would give t, for each row."""
    mean = p @ scores
    variance = np.sum(p * (scores - mean[..., None]) ** 2, axis=-1)
    return np.asarray(mean - reference - t * np.sqrt(variance))


def _pulls(scores: FloatArray, reference: float, t: float, s: FloatArray) -> FloatArray:
    s = s[..., None]
    return np.asarray(scores - reference - 0.5 * t * (s + (scores - reference - t * s) ** 2 / s))


def _fixed_point(
    frequencies: FloatArray, scores: FloatArray, reference: float, t: float
) -> FloatArray:
    """Iterate the deviation; rows that leave the feasible range are returned uniform."""
    p = np.full_like(frequencies, 1.0 / frequencies.shape[-1])
    mean = (p @ scores)[..., None]
    s = np.sqrt(np.sum(p * (scores - mean) ** 2, axis=-1))
    alive = np.ones(s.shape, dtype=bool)
    for _ in range(_ROUNDS):
        pulls = _pulls(scores, reference, t, s)
        alive &= (pulls.max(axis=-1) > _FLAT) & (pulls.min(axis=-1) < -_FLAT)
        p = _tilt(frequencies, np.where(alive[..., None], pulls, scores - mean))
        new_mean = (p @ scores)[..., None]
        new = np.where(alive, np.sqrt(np.sum(p * (scores - new_mean) ** 2, axis=-1)), s)
        moved = np.abs(new - s)
        s = np.maximum(new, _FLAT)
        if float(moved.max(initial=0.0)) < _TOLERANCE:
            break
    return np.where(alive[..., None], p, 1.0 / frequencies.shape[-1])


def _search(
    frequencies: FloatArray, scores: FloatArray, reference: float, t: float, *, below: bool
) -> FloatArray:
    """Search a row over the deviation for the highest likelihood if `below`, else the lowest."""
    sign = 1.0 if below else -1.0
    top = min(float(scores[-1] - scores[0]) / 2.0, (float(scores[-1]) - reference) / t)
    grid = top * np.linspace(0.0, 1.0, _GRID + 2)[1:-1]
    if top <= 0.0 or not np.any(_pulls(scores, reference, t, grid) > _FLAT):
        raise ValueError(f"no distribution has t-value {t}")
    for _ in range(_ZOOMS):
        pulls = _pulls(scores, reference, t, grid)
        possible = (pulls.max(axis=-1) > _FLAT) & (pulls.min(axis=-1) < -_FLAT)
        p = _tilt(frequencies, np.where(possible[:, None], pulls, scores - reference))
        value = np.where(possible, sign * (np.log(p) @ frequencies), -np.inf)
        best = int(value.argmax())
        step = grid[1] - grid[0]
        grid = np.linspace(
            max(grid[best] - step, 1e-3 * grid[best]), min(grid[best] + step, top), _GRID
        )
    return np.asarray(p[best])


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
    p = frequencies / (1.0 + x[..., None] * pulls)
    return np.asarray(p / p.sum(axis=-1, keepdims=True))
