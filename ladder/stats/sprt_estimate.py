"""The expected length of a sequential test, and the estimate after it has stopped.

The log-likelihood ratio is modelled as a Brownian motion (see `ladder.stats.brownian`) in units of
the deviation of its step. A test stops when results are extreme, so the plain estimate after a
decision is too large in absolute value. The estimate here is median-unbiased.
"""

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ladder.stats.brownian import (
    chance_down_by,
    chance_inside_below,
    chance_up,
    chance_up_by,
    mean_time,
)
from ladder.stats.counts import check_counts, games_per_unit
from ladder.stats.special import find_root
from ladder.stats.sprt import Sprt, State, bounds, sprt_result, walk

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
