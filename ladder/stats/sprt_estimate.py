"""The expected length of a sequential test, and the estimate after it has stopped.

A test stops when results are extreme, so the plain estimate after a decision is too large in
absolute value. The estimate here is median-unbiased. The log-likelihood ratio is modelled as a
Brownian motion between two absorbing walls, in units of the deviation of its step: it starts at 0
between the walls -down < 0 < up, with a constant drift per step. Probabilities are sums over the
mirror images of the start in the two walls (Darling and Siegert 1953; Siegmund 1985, III). Terms
are computed as logarithms, because a product of a huge and a tiny number would lose all digits.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.counts import FloatArray, check_counts, games_per_unit
from ladder.stats.special import find_root, log_normal_cdf
from ladder.stats.sprt import Sprt, State, bounds, sprt_result, walk


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


SIEGMUND = 0.5826
"""Mean overshoot of a normal random walk over a far boundary, in deviations of one step
(Chernoff 1965; Siegmund 1985, X.2): -zeta(1/2) / sqrt(2 pi)."""


@dataclass(frozen=True)
class StoppedEstimate:
    """An estimate that accounts for the stopping of the test, in Elo of the test's model."""

    elo: float
    """Median-unbiased estimate: as often too high as too low over repeated tests."""
    low95: float
    high95: float
    los: float
    """Likelihood of superiority, 0..1: the probability of a worse outcome between equals."""


@dataclass(frozen=True)
class TestForecast:
    """The expected end of a test at a true difference."""

    chance_h1: float
    """Probability to accept H1, 0..1, without a limit of games."""
    games: float
    """Expected number of games until a decision."""


def estimate_after(*, counts: ArrayLike, test: Sprt) -> StoppedEstimate | None:
    """Return the median-unbiased estimate and its 95 % interval; None without games.

    Outcomes are ordered as evidence for the player (Siegmund 1978): stops at the lower bound,
    earlier ones being worse; then no stop, by the ratio; then stops at the upper bound, earlier
    ones being better. At the estimate, an outcome at most this good has probability 0.5; at the
    ends of the interval, 0.975 and 0.025. The walls are the bounds plus a mean overshoot, or
    farther out if the counts continue after the decision. Errors as `sprt_result`.
    """
    array = check_counts(counts=counts)
    time = float(array.sum())
    if time == 0.0:
        return None
    path = walk(counts=array, test=test)
    result = sprt_result(counts=array, test=test)
    place = result.llr / path.step
    down = max(SIEGMUND - result.lower / path.step, -place)
    up = max(SIEGMUND + result.upper / path.step, place)

    def at_most(drift: float) -> float:
        if result.state is State.ACCEPT_H1:
            return 1.0 - chance_up_by(time=time, drift=drift, down=down, up=up)
        worse = chance_down_by(time=time, drift=drift, down=down, up=up)
        if result.state is State.ACCEPT_H0:
            return worse
        return worse + chance_inside_below(time=time, place=place, drift=drift, down=down, up=up)

    reach = 12.0 / math.sqrt(time) + 1.0

    def elo_at(level: float) -> float:
        drift = find_root(
            lambda drift: level - at_most(drift), low=-reach, high=reach, start=(0.0, 0.1 * reach)
        )
        return path.elo(t=path.middle + drift)

    los = at_most(path.t(elo=0.0) - path.middle)
    if array[-1] == time:
        los = 1.0 - 0.5**time  # an equal side wins both games of a pair at most half the time
    elif array[0] == time:
        los = 0.5**time
    return StoppedEstimate(elo=elo_at(0.5), low95=elo_at(0.975), high95=elo_at(0.025), los=los)


def forecast_test(*, elo: float, counts: ArrayLike, test: Sprt) -> TestForecast:
    """Return the expected end of a test at a true difference `elo` (in the model's Elo).

    `counts` determine the spread of results; their number does not matter. The formulas are Wald's
    (1945) with walls moved out by the mean overshoot (Siegmund 1985). Errors as `sprt_result`.
    """
    path = walk(counts=counts, test=test)
    lower, upper = bounds(alpha=test.alpha, beta=test.beta)
    down, up = SIEGMUND - lower / path.step, SIEGMUND + upper / path.step
    drift = path.t(elo=elo) - path.middle
    return TestForecast(
        chance_h1=chance_up(drift=drift, down=down, up=up),
        games=games_per_unit(counts=counts) * mean_time(drift=drift, down=down, up=up),
    )
