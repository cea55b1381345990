"""The difference between two bots: how large it is, how sure, and in which words.

It comes from the counts of their pairs (`difference_of`), or from the fit of a list
(`fitted_difference`); both use the interval of `ladder.stats.score_bound`, which is valid for a
fixed number of pairs, not for looking after each.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from numpy.typing import ArrayLike

from ladder.stats.counts import FloatArray, check_counts, regularise_counts, unit_scores
from ladder.stats.elo import SCALE, elo_to_score
from ladder.stats.likelihood import under_mean
from ladder.stats.own_rating import UNKNOWN
from ladder.stats.score_bound import TAIL, ScoreBound

SUREST = 1.0 - 1e-15
"""Greatest chance: no results are infinitely sure."""
NO_ERROR = 1e-6
"""Standard deviation of a difference in Elo below which it is given, not measured."""
FARTHEST = 4000.0
"""Greatest difference in Elo whose expected score differs enough from 0 and 1."""
LIKELY = 0.9
"""Chance from which a bot is probably the stronger one."""


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
        """Return the interval in words, from the stronger side if not `is_up`."""
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
    below = ScoreBound(array)
    above = ScoreBound(array[::-1])
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


def shutout_of(low: float) -> Difference:
    """Return the difference of a bot that won every pair, from its lower bound in Elo."""
    pairs = math.log(TAIL) / math.log(elo_to_score(elo=low))
    return difference_of((0.0, 0.0, 0.0, 0.0, pairs))
