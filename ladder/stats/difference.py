"""The difference between two bots: how large it is, how sure, and in which words.

The unit is a pair of games (or a game, without pairs), with a score per game s of 0 to 1. The
interval of the expected score is Gaffke's bound (Gaffke 2005, "Three test statistics for a
nonparametric one-sided hypothesis on the mean of a nonnegative variable"; Learned-Miller and Thomas
2019, "A new confidence interval for the mean of a bounded random variable"). Its lower end is the
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
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.counts import FloatArray, check_counts, regularise_counts, unit_scores
from ladder.stats.elo import SCALE, elo_to_score
from ladder.stats.likelihood import under_mean

TAIL = 0.025
"""Share of intervals that may lie wholly above, or below, the true difference."""
SUREST = 1.0 - 1e-15
"""Greatest chance: no results are infinitely sure."""
NO_ERROR = 1e-6
"""Standard deviation of a difference in Elo below which it is given, not measured."""
FARTHEST = 4000.0
"""Greatest difference in Elo whose expected score differs enough from 0 and 1."""
LIKELY = 0.9
"""Chance from which a bot is probably the stronger one."""
UNKNOWN = "-"
"""The words for a difference without games."""

_STEP = 0.125
_STEPS = np.arange(0.0, 24.0, _STEP)
"""Points of the trapezoidal rule, distances along the path being their hyperbolic sines. Half the
step changes no Elo by 1e-7."""
_SINH = np.sinh(_STEPS)
_WEIGHTS = np.where(_STEPS == 0.0, 0.5, 1.0) * _STEP / math.pi * np.cosh(_STEPS)


class Sign(StrEnum):
    """The side of zero on which the interval lies."""

    STRONGER = "stronger"
    WEAKER = "weaker"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Difference:
    """One bot's Elo minus that of another, with its 95 % interval."""

    elo: float | None = None
    """Always between `low` and `high`; None without games."""
    low: float | None = None
    """None at an open end: after a shutout any greater distance is possible."""
    high: float | None = None
    chance: float | None = None
    """Chance that the bot is stronger, 0..1; never on the other side of 2.5 or 97.5 % than the
    interval is of zero. None without games."""

    @property
    def verdict(self) -> Sign:
        """The side of zero on which the interval lies."""
        if self.low is not None and self.low > 0.0:
            return Sign.STRONGER
        if self.high is not None and self.high < 0.0:
            return Sign.WEAKER
        return Sign.UNDECIDED

    @property
    def error95(self) -> float | None:
        """Half the width of the interval; None at an open end."""
        if self.low is None or self.high is None:
            return None
        return 0.5 * (self.high - self.low)

    @property
    def mirrored(self) -> "Difference":
        """The difference from the other bot's side."""

        def less(number: float | None) -> float | None:
            return None if number is None else -number

        chance = None if self.chance is None else 1.0 - self.chance
        return Difference(less(self.elo), less(self.high), less(self.low), chance)

    @property
    def word(self) -> str:
        """The verdict for people, such as ``probably stronger``."""
        if self.chance is None:
            return "no games"
        if self.verdict is not Sign.UNDECIDED:
            return self.verdict.value
        if max(self.chance, 1.0 - self.chance) < LIKELY:
            return "no clear difference"
        return "probably stronger" if self.chance > 0.5 else "probably weaker"

    def values(self, *, digits: int = 2) -> dict[str, Any]:
        """Return the numbers for JSON and CSV."""

        def rounded(number: float | None, places: int = digits) -> float | None:
            return None if number is None else round(number, places)

        return {
            "elo": rounded(self.elo),
            "error95": rounded(self.error95),
            "low": rounded(self.low),
            "high": rounded(self.high),
            "elo_at_least": None if self.high is not None else rounded(self.low),
            "elo_at_most": None if self.low is not None else rounded(self.high),
            "los": None if self.chance is None else towards_even(self.chance, 4),
            "verdict": self.verdict.value,
        }

    def words(self) -> str:
        """Return the Elo with its interval, such as ``+12 (-3 .. +27)``."""
        if self.elo is None:
            return UNKNOWN
        if self.high is None:
            return UNKNOWN if self.low is None else f"at least {self.low:+.0f}"
        if self.low is None:
            return f"at most {self.high:+.0f}"
        return f"{self.elo:+z.0f} ({self.low:+z.0f} .. {self.high:+z.0f})"

    def cells(self) -> tuple[str, str, str]:
        """Return Elo, interval and chance as cells of a table; the first is only measured Elo."""
        elo, _, interval = self.words().partition(" (")
        return elo, interval.rstrip(")") or UNKNOWN, self.chance_words()

    def chance_words(self, *, digits: int = 1) -> str:
        """Return the chance to be stronger in percent."""
        return chance_words(self.chance, digits=digits)

    def sentence(self, bot: str, other: str) -> str:
        """Return the verdict as a sentence about two bots, without its end."""
        if self.elo is None or self.chance is None:
            return f"{bot} and {other} have no games to compare"
        is_up = self.verdict is Sign.STRONGER or (
            self.verdict is Sign.UNDECIDED and self.chance >= 0.5
        )
        side = "stronger" if is_up else "weaker"
        chance = self.chance if is_up else 1.0 - self.chance
        sure = f"{chance_words(chance)} sure"
        if self.verdict is not Sign.UNDECIDED:
            return f"{bot} is {side} than {other} by {self._range(is_up)} ({sure})"
        if chance >= LIKELY:
            return (
                f"{bot} is probably {side} than {other} ({sure}), {self._range(is_up)}: too few "
                "games to be sure"
            )
        return f"{bot} is {self._range(True)} than {other}: no clear difference"

    def _range(self, is_up: bool) -> str:
        """Return the interval in words, seen from the stronger side if not `is_up`."""
        ends = self if is_up else self.mirrored
        low, high = ends.low, ends.high
        up, down = ("stronger", "weaker") if is_up else ("weaker", "stronger")
        if low is not None and low > 0.0:
            return f"at least {low:.0f} Elo" if high is None else f"{low:.0f} to {high:.0f} Elo"
        if low is None:
            return f"at most {high or 0.0:.0f} Elo {up}"
        if high is None:
            return f"at most {-low:.0f} Elo {down}"
        return f"between {-low:.0f} Elo {down} and {high:.0f} Elo {up}"


def fitted_difference(*, gap: float, deviation: float, seen: FloatArray) -> Difference:
    """Return the difference of two players of a fit, from its value and its standard deviation.

    The frequencies of results in the games of the fit are tilted to the mean score of the
    difference, and taken as often as gives its variance. These effective units have the interval
    and the chance of `difference_of`: a normal interval would be too narrow for few or one-sided
    games, and miss on one side.

    Args:
        gap: the difference in Elo.
        deviation: its standard deviation in Elo.
        seen: units by score in all games of the fit, from the side of the player of the two that
            `gap` is for.

    """
    if deviation <= NO_ERROR:  # both are given
        return Difference(gap, gap, gap, 0.5 if gap == 0.0 else SUREST if gap > 0 else 1 - SUREST)
    mean = elo_to_score(elo=min(max(gap, -FARTHEST), FARTHEST))
    counts = regularise_counts(counts=seen)
    shares = under_mean(frequencies=counts / counts.sum(), mean=mean)
    spread = float(shares @ (unit_scores(size=shares.size) - mean) ** 2)
    return difference_of(shares * spread / (deviation / SCALE * mean * (1.0 - mean)) ** 2)


@dataclass(frozen=True)
class Rating:
    """A bot's own rating in a list, against the mean of all, or against the anchors."""

    elo: float | None = None
    """None if no games connect it with the list. The prior determines it between bounds."""
    error95: float | None = None
    """Half the 95 % interval of the fit."""
    at_least: float | None = None
    """Lower end of the interval of a bot that won everything; else None."""
    at_most: float | None = None
    """Upper end of the interval of a bot that lost everything; else None."""

    @property
    def is_measured(self) -> bool:
        """Whether there is a value, and not only a bound."""
        return self.elo is not None and self.at_least is None and self.at_most is None

    @property
    def low(self) -> float | None:
        """Lower end of the interval; None if it is open."""
        if self.is_measured:
            return (self.elo or 0.0) - (self.error95 or 0.0)
        return self.at_least

    @property
    def high(self) -> float | None:
        """Upper end of the interval; None if it is open."""
        if self.is_measured:
            return (self.elo or 0.0) + (self.error95 or 0.0)
        return self.at_most

    def cells(self) -> tuple[str, str]:
        """Return the value, or the bound, and the error as cells of a table."""
        if self.at_least is not None:
            return f"at least {self.at_least:.0f}", UNKNOWN
        if self.at_most is not None:
            return f"at most {self.at_most:.0f}", UNKNOWN
        if self.elo is None:
            return UNKNOWN, UNKNOWN
        return f"{self.elo:.0f}", f"{self.error95 or 0.0:.0f}"

    def words(self) -> str:
        """Return the value with its error, or the bound."""
        value, error = self.cells()
        return f"{value} ± {error}" if self.is_measured else value


def towards_even(chance: float, digits: int) -> float:
    """Round a chance towards one half, so never to 0 or 1, which no games prove."""
    whole: int = 10**digits
    # The share of a digit keeps 0.975, which is no exact binary number, at itself.
    most = min(math.floor(max(chance, 1.0 - chance) * whole + 1e-6), whole - 1)
    return (most if chance >= 0.5 else whole - most) / whole


def chance_words(chance: float | None, *, digits: int = 1) -> str:
    """Return a chance in percent, rounded towards 50 %; a dash for None."""
    return UNKNOWN if chance is None else f"{towards_even(chance, digits + 2):.{digits}%}"


def difference_of(counts: ArrayLike) -> Difference:
    """Return the difference from counts of units by score, fractions allowed.

    Args:
        counts: (L, D, W) of games, or the pentanomial counts of pairs, see `ladder.stats.counts`.

    Raises:
        UsageError: the counts are invalid.

    """
    array = check_counts(counts=counts)
    units = float(array.sum())
    if units == 0.0:
        return Difference()
    below = _Bound(array)
    above = _Bound(array[::-1])
    scores = unit_scores(size=array.size)
    won, lost = float(array @ scores), float(array[::-1] @ scores)
    if won == 0.0 or lost == 0.0:
        won, lost = won + 0.5, lost + 0.5
    low, high = below.least, above.least
    return Difference(
        elo=_to_elo(won, lost),
        low=None if low is None else _to_elo(low, 1.0 - low),
        high=None if high is None else -_to_elo(high, 1.0 - high),
        chance=_chance(below.chance, above.chance),
    )


def _to_elo(won: float, lost: float) -> float:
    """Return the Elo of a share of points, without a limit."""
    return SCALE * math.log(won / lost)


def _chance(below: float, above: float) -> float:
    """Return the chance to be stronger, from its lower bound and that of being weaker."""
    if below >= 1.0 - TAIL:
        return min(below, SUREST)
    if above >= 1.0 - TAIL:
        return 1.0 - min(above, SUREST)
    return min(max(0.5 * (below + 1.0 - above), TAIL), 1.0 - TAIL)


class _Bound:
    """The distribution of M for one end."""

    def __init__(self, counts: FloatArray) -> None:
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
        return self._quantile(mean, math.sqrt(spread))

    def _quantile(self, mean: float, deviation: float) -> float:
        """Find the quantile by secants of the log-odds, which are nearly straight, in a bracket."""
        aim = math.log(TAIL / (1.0 - TAIL))

        def miss(at: float) -> float:
            share = self.below(at)
            return math.log(max(share, 1e-300) / max(1.0 - share, 1e-16)) - aim

        low, high = 0.0, mean
        last = max(mean - 2.0 * deviation, 0.5 * mean)
        at, last_miss = 0.98 * last, miss(last)
        for _ in range(80):
            error = miss(at)
            if abs(error) < 1e-9:
                break
            low, high = (at, high) if error < 0.0 else (low, at)
            slope = (error - last_miss) / (at - last) if at != last else 0.0
            last, last_miss = at, error
            step = at - error / slope if slope > 0.0 else math.nan
            at = step if low < step < high else 0.5 * (low + high)
        return at

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
    """Return where K(z) - log z is least, z > 0, by Newton's method in a bracket."""
    low, high = 0.0, 1.0 / max(pulls)
    at = 0.5 * high
    for _ in range(60):
        slope, curve = -1.0 / at, 1.0 / at**2
        for shape, pull in zip(shapes, pulls, strict=True):
            fall = pull / (1.0 - pull * at)
            slope += shape * fall
            curve += shape * fall * fall
        low, high = (at, high) if slope < 0.0 else (low, at)
        step = at - slope / curve
        step = step if low < step < high else 0.5 * (low + high)
        if abs(step - at) <= 1e-4 * at:  # any place is exact, the best one only loses no digits
            return step
        at = step
    return at


def shutout_of(low: float) -> Difference:
    """Return the difference of a bot that won every pair, from its lower bound in Elo."""
    pairs = math.log(TAIL) / math.log(elo_to_score(elo=low))
    return difference_of((0.0, 0.0, 0.0, 0.0, pairs))
