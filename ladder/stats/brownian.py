"""Brownian motion between two absorbing walls: a first-order model of a sequential test.

Time is in steps of standard deviation 1. The motion starts at 0 between the walls -down < 0 < up
with a constant drift per step. Probabilities are sums over the mirror images of the start in the
two walls (Darling and Siegert 1953; Siegmund 1985, III). Terms are computed as logarithms, because
a product of a huge and a tiny number would lose all digits.
"""

import math

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.special import log_normal_cdf


def chance_up(*, drift: float, down: float, up: float) -> float:
    """Return the probability that the upper wall is hit first, without a time limit (Wald 1945)."""
    pull = 2.0 * drift
    if abs(pull) * (down + up) < 1e-9:
        return down / (down + up)
    if pull > 0:
        return float(np.expm1(-pull * down) / np.expm1(-pull * (down + up)))
    pull = -pull
    return float(math.exp(-pull * up) * np.expm1(-pull * down) / np.expm1(-pull * (down + up)))


def mean_time(*, drift: float, down: float, up: float) -> float:
    """Return the expected number of steps until a wall is hit (Wald 1945)."""
    if abs(drift) * (down + up) < 1e-6:
        return down * up
    chance = chance_up(drift=drift, down=down, up=up)
    return (chance * up - (1.0 - chance) * down) / drift


def chance_down_by(*, time: float, drift: float, down: float, up: float) -> float:
    """Return the probability that the lower wall is hit first, within `time` steps."""
    if time <= 0.0:
        return 0.0
    images = down + 2.0 * (down + up) * _orders(time, drift, down + up)
    far = np.abs(images)
    root = math.sqrt(time)
    # Each image adds the probability of a first passage at distance `far`, tilted by the drift.
    here = -drift * (down + far) + log_normal_cdf((drift * time - far) / root)
    there = -drift * (down - far) + log_normal_cdf((-drift * time - far) / root)
    terms = np.exp(np.minimum(here, 700.0)) + np.exp(np.minimum(there, 700.0))
    return _clip(float(np.sum(np.sign(images) * terms)))


def chance_up_by(*, time: float, drift: float, down: float, up: float) -> float:
    """Return the probability that the upper wall is hit first, within `time` steps."""
    return chance_down_by(time=time, drift=-drift, down=up, up=down)


def chance_inside_below(
    *, time: float, place: float, drift: float, down: float, up: float
) -> float:
    """Return the probability that no wall is hit in `time` steps and the end is below `place`."""
    if time <= 0.0:
        return 1.0 if place >= 0.0 else 0.0
    orders = 2.0 * (down + up) * _orders(time, drift, down + up)
    place = min(max(place, -down), up)
    kept = _slab(orders, time, place, drift, down)
    mirrored = _slab(-2.0 * down - orders, time, place, drift, down)
    return _clip(float(np.sum(kept - mirrored)))


def _slab(images: FloatArray, time: float, place: float, drift: float, down: float) -> FloatArray:
    """Return the probability mass of each tilted image between the lower wall and `place`."""
    root = math.sqrt(time)
    top = (place - images - drift * time) / root
    bottom = (-down - images - drift * time) / root
    # Beyond the image, subtract upper tails, because values near 1 would cancel.
    beyond = bottom > 0.0
    more, less = np.where(beyond, -bottom, top), np.where(beyond, -top, bottom)
    return np.asarray(
        np.exp(np.minimum(drift * images + log_normal_cdf(more), 700.0))
        - np.exp(np.minimum(drift * images + log_normal_cdf(less), 700.0))
    )


def _orders(time: float, drift: float, width: float) -> FloatArray:
    reach = 3 + math.ceil((4.5 * math.sqrt(time) + min(abs(drift) * time, 40.0 * width)) / width)
    return np.arange(-reach, reach + 1, dtype=np.float64)


def _clip(chance: float) -> float:
    return min(max(chance, 0.0), 1.0)
