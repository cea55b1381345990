"""The cost of a sequential test, and its estimate of the difference once it has stopped.

The log-likelihood ratio is taken as a Brownian motion (see `ladder.stats.brownian`) in units of
the deviation of its step. A test that stops on good news reports too much of it: the plain estimate
after a decision lies too far out. The one given here is unbiased in the median.
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
from ladder.stats.counts import checked, games_per_unit
from ladder.stats.one_sided import chance_of_shutout
from ladder.stats.special import root
from ladder.stats.sprt import Sprt, State, bounds, sprt_result, walk

SIEGMUND = 0.5826
"""Mean overshoot of a normal random walk over a far boundary, in deviations of one step
(Chernoff 1965; Siegmund 1985, X.2): -zeta(1/2) / sqrt(2 pi)."""


@dataclass(frozen=True)
class StoppedEstimate:
    """An estimate that allows for when and why the test stopped, in the Elo of the test's model."""

    elo: float
    """Median-unbiased: as often too high as too low, over repeated tests."""
    low95: float
    high95: float
    los: float
    """Chance that the player is the stronger one, 0..1: that of a worse outcome between equals."""


@dataclass(frozen=True)
class Course:
    """The expected end of a test at one true difference."""

    chance_h1: float
    """Probability that it ends with H1, 0..1, without a limit of games."""
    games: float
    """Expected number of games until a decision."""


def estimate_after(*, counts: ArrayLike, test: Sprt) -> StoppedEstimate | None:
    """Median-unbiased estimate and 95 % interval from the counts at which a test stands or stopped.

    Outcomes are ordered as evidence for the player (Siegmund 1978): a stop at the lower bound, the
    earlier the worse; then no stop, by the ratio; then a stop at the upper bound, the earlier the
    better. The estimate is the difference at which an outcome at most this good has probability
    one half, the interval has 0.975 and 0.025. The walls stand where the walk is expected to end,
    a mean overshoot beyond the bounds, or farther out when the counts go on after the decision.
    None without games. Errors as `sprt_result`.
    """
    array = checked(counts=counts)
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

    def elo_at(level: float) -> float:
        drift = root(lambda drift: at_most(drift) - level, reach=12.0 / math.sqrt(time) + 1.0)
        return path.elo(t=path.middle + drift)

    los = at_most(path.t(elo=0.0) - path.middle)
    if array[-1] == time:
        los = 1.0 - chance_of_shutout(units=time)
    elif array[0] == time:
        los = chance_of_shutout(units=time)
    return StoppedEstimate(elo=elo_at(0.5), low95=elo_at(0.975), high95=elo_at(0.025), los=los)


def expected_course(*, elo: float, counts: ArrayLike, test: Sprt) -> Course:
    """The expected end of a test at a true difference `elo` (in the model's Elo).

    `counts` give the spread of results, their number does not matter. Wald's formulas (1945) with
    the walls moved out by the mean overshoot (Siegmund 1985). Errors as `sprt_result`.
    """
    path = walk(counts=counts, test=test)
    lower, upper = bounds(alpha=test.alpha, beta=test.beta)
    down, up = SIEGMUND - lower / path.step, SIEGMUND + upper / path.step
    drift = path.t(elo=elo) - path.middle
    return Course(
        chance_h1=chance_up(drift=drift, down=down, up=up),
        games=games_per_unit(counts=counts) * mean_time(drift=drift, down=down, up=up),
    )
