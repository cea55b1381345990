"""What a sequential test will cost, and what it has measured once it has stopped.

The log-likelihood ratio is taken as a Brownian motion (see `ladder.ratings.brownian`) in units of
the deviation of its step. A test that stops on good news reports too much of it: the plain estimate
after a decision lies too far out. The one given here is unbiased in the median.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ladder.ratings.brownian import (
    chance_down_by,
    chance_inside_below,
    chance_up,
    chance_up_by,
    mean_time,
)
from ladder.ratings.counts import checked, games_per_unit
from ladder.ratings.sprt import SIEGMUND, Sprt, State, judge, walk

_STEPS = 60


@dataclass(frozen=True)
class StoppedEstimate:
    """An estimate that allows for when and why the test stopped, in the Elo of the test's model."""

    elo: float
    """Median-unbiased: as often too high as too low, over repeated tests."""
    low95: float
    high95: float


@dataclass(frozen=True)
class Course:
    """What theory expects of a test at one true difference."""

    chance_h1: float
    """Probability that it ends with H1, 0..1, without a limit of games."""
    games: float
    """Expected number of games until a decision."""


def estimate_after(
    *, counts: ArrayLike, test: Sprt, overshoot: bool = False
) -> StoppedEstimate | None:
    """Median-unbiased estimate and 95 % interval from the counts at which a test stands or stopped.

    Outcomes are ordered as evidence for the player (Siegmund 1978): a stop at the lower bound, the
    earlier the worse; then no stop, by the ratio; then a stop at the upper bound, the earlier the
    better. The estimate is the difference at which an outcome at most this good has probability
    one half, the interval has 0.975 and 0.025. `overshoot` as it was given to `judge`; the walls
    stand where the walk is expected to end, or farther out when the counts go on after the
    decision. None without games. Errors as `judge`.
    """
    array = checked(counts=counts)
    time = float(array.sum())
    if time == 0.0:
        return None
    path = walk(counts=array, test=test)
    result = judge(counts=array, test=test, overshoot=overshoot)
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

    elos = [path.elo(t=path.middle + _solve(at_most, level, time)) for level in (0.5, 0.975, 0.025)]
    return StoppedEstimate(elo=elos[0], low95=elos[1], high95=elos[2])


def _solve(at_most: Callable[[float], float], level: float, time: float) -> float:
    """The drift at which a decreasing probability has a level, by bisection."""
    reach = 12.0 / math.sqrt(time) + 1.0
    low, high = -reach, reach
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        if at_most(middle) > level:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def expected_course(
    *, elo: float, counts: ArrayLike, test: Sprt, overshoot: bool = False
) -> Course:
    """How a test is expected to end at a true difference `elo` (in the model's Elo).

    `counts` give the spread of results, their number does not matter. Wald's formulas (1945) with
    the walls moved out by the mean overshoot (Siegmund 1985), from where `judge` sets the bounds
    with the same `overshoot`. Errors as `judge`.
    """
    path = walk(counts=counts, test=test)
    result = judge(counts=counts, test=test, overshoot=overshoot)
    down, up = SIEGMUND - result.lower / path.step, SIEGMUND + result.upper / path.step
    drift = path.t(elo=elo) - path.middle
    return Course(
        chance_h1=chance_up(drift=drift, down=down, up=up),
        games=games_per_unit(counts=counts) * mean_time(drift=drift, down=down, up=up),
    )
