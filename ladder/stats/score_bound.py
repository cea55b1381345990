"""Gaffke's bound of the expected score, from counts of units by score.

The unit is a pair of games (or a game, without pairs), with a score per game s of 0 to 1. The
interval of the expected score is Gaffke's (Gaffke 2005, "Three test statistics for a nonparametric
one-sided hypothesis on the mean of a nonnegative variable"; Learned-Miller and Thomas 2019, "A new
confidence interval for the mean of a bounded random variable"). Its lower end is the
2.5 % quantile of

    M = sum of D_i s_i,    D ~ Dirichlet(counts, and one unit more at score 0),

its upper end the 97.5 % quantile with one unit more at score 1 instead. The unit more is the least
favourable result that one could have missed. If all units are won or lost, this is the interval of
Clopper and Pearson (1934). It assumes nothing about the spread or the dependence of the two games
of a pair, is finite for single pairs, open at one end after a shutout, and 1.03 to 1.25 times as
wide as the normal interval. It is valid for a fixed number of units, not for looking after each.

With independent gamma variables G_i of shape a_i, D_i is G_i over their sum, so

    P(M > t) = P(X > 0),    X = sum of G_i (s_i - t),

which is the integral of exp(K(z)) / z from below to above the real axis, right of 0, with the
cumulants K(z) = -sum of a_i log(1 - (s_i - t) z). The path begins at the minimum of the integrand
on the real axis and bends as steepest descent does, so the integrand does not oscillate: a straight
line with too few points is wrong by hundreds of Elo for 3000 won pairs and a single draw.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ladder.stats.counts import FloatArray, unit_scores
from ladder.stats.special import find_root

TAIL = 0.025
"""Share of intervals that may lie wholly above, or below, the true difference."""

_STEP = 0.125
_STEPS = np.arange(0.0, 24.0, _STEP)
"""Points of the trapezoidal rule, distances along the path being their hyperbolic sines. Half the
step changes no Elo by 1e-7."""
_SINH = np.sinh(_STEPS)
_WEIGHTS = np.where(_STEPS == 0.0, 0.5, 1.0) * _STEP / math.pi * np.cosh(_STEPS)


class ScoreBound:
    """The distribution of M whose quantile is the lower end of the interval."""

    def __init__(self, counts: FloatArray) -> None:
        """Prepare the bound of counts from the lowest score to the highest, not all 0."""
        shapes = counts.copy()
        shapes[0] += 1.0
        used = shapes > 0.0
        self._shapes = shapes[used]
        self._scores = unit_scores(size=counts.size)[used]

    @cached_property
    def chance(self) -> float:
        """Probability that M is above an even score."""
        return 1.0 - self.below(0.5)

    @cached_property
    def least(self) -> float | None:
        """Quantile of M at `TAIL`; None at score 0."""
        if self._scores[-1] == 0.0:
            return None
        total = float(self._shapes.sum())
        mean = float(self._shapes @ self._scores) / total
        spread = float(self._shapes @ (self._scores - mean) ** 2) / total / (total + 1.0)
        near = max(mean - 2.0 * math.sqrt(spread), 0.5 * mean)
        return find_root(self._miss, low=0.0, high=mean, start=(near, 0.98 * near), tolerance=1e-10)

    def _miss(self, at: float) -> float:
        """Return how far the log-odds of P(M <= at), which are nearly straight, are from `TAIL`."""
        share = self.below(at)
        odds = math.log(max(share, 1e-300) / max(1.0 - share, 1e-16))
        return odds - math.log(TAIL / (1.0 - TAIL))

    def below(self, at: float) -> float:
        """Return the probability that M is at most `at`."""
        pulls = self._scores - at
        if pulls[-1] <= 0.0:
            return 1.0
        if pulls[0] >= 0.0:
            return 0.0
        is_upper = float(self._shapes @ pulls) <= 0.0
        tail = _upper_tail(self._shapes, pulls if is_upper else -pulls)
        return 1.0 - tail if is_upper else tail


def _upper_tail(shapes: FloatArray, pulls: FloatArray) -> float:
    """Return P(X > 0) for X = sum of G_i pulls_i, whose mean is at most 0."""
    place = _saddle(shapes.tolist(), pulls.tolist())
    falls = pulls / (1.0 - pulls * place)
    curvature = float(shapes @ falls**2) + 1.0 / place**2
    twist = 2.0 * (float(shapes @ falls**3) - 1.0 / place**3)
    bend = max(abs(twist) / (3.0 * curvature**1.5), 1e-9)
    root = np.hypot(1.0, bend * _SINH)
    unit = math.copysign(1.0 / math.sqrt(curvature), twist)
    along, up = unit * (root - 1.0) / bend, abs(unit) * _SINH
    slope = unit * bend * _SINH / root
    height = -float(shapes @ np.log1p(-pulls * place)) - math.log(place)
    log_size, turn = np.full(up.size, height), np.zeros(up.size)
    for weight, fall in zip((*shapes, 1.0), (*falls, -1.0 / place), strict=True):
        real, imaginary = -fall * along, -fall * up
        log_size -= 0.5 * weight * np.log1p(real * (2.0 + real) + imaginary**2)
        turn -= weight * np.arctan2(imaginary, 1.0 + real)
    # The imaginary part of the integrand times dz, where dz = (slope + i |unit|) cosh(u) du.
    values = np.exp(log_size) * (abs(unit) * np.cos(turn) + slope * np.sin(turn))
    return min(max(float(_WEIGHTS @ values), 0.0), 1.0)


def _saddle(shapes: Sequence[float], pulls: Sequence[float]) -> float:
    """Return where K(z) - log z is least, z > 0."""

    def slope(at: float) -> float:
        falls = (
            shape * pull / (1.0 - pull * at) for shape, pull in zip(shapes, pulls, strict=True)
        )
        return sum(falls) - 1.0 / at

    # Any place is exact, the best one only loses no digits.
    high = 1.0 / max(pulls)
    return find_root(slope, low=0.0, high=high, start=(0.4 * high, 0.5 * high), tolerance=1e-4)
