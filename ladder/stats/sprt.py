"""Sequential tests between two differences in Elo, by the generalised likelihood ratio.

After every unit (a pair of games, or a game) the log-likelihood ratio of H1 (the difference is
elo1) against H0 (it is elo0) is compared with two bounds (Wald 1945). Under each hypothesis the
frequencies of results are those of maximum likelihood (Van den Bergh 2019).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from ladder.errors import UsageError
from ladder.stats.counts import (
    FloatArray,
    check_counts,
    games_per_unit,
    regularise_counts,
    unit_scores,
)
from ladder.stats.elo import NORMALIZED, elo_to_score, score_to_elo
from ladder.stats.likelihood import under_mean, under_t_value


class Model(StrEnum):
    """The Elo model of a test's hypotheses."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"


MIN_CHANCE = 1e-9
"""Smallest allowed error probability."""


def check_chances(alpha: float, beta: float) -> None:
    """Check the error probabilities of a test.

    Raises:
        UsageError: one is below `MIN_CHANCE` or not below 0.5.

    """
    for option, chance in (("alpha", alpha), ("beta", beta)):
        if not MIN_CHANCE <= chance < 0.5:
            raise UsageError(
                f"must be {MIN_CHANCE:g} or more and below 0.5, got {chance:g}", option=option
            )


class State(StrEnum):
    """The decision of a sequential test so far."""

    CONTINUE = "continue"
    ACCEPT_H0 = "accept_h0"
    ACCEPT_H1 = "accept_h1"


@dataclass(frozen=True)
class Sprt:
    """A sequential test: two differences in Elo and two error probabilities."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability to accept H1 if H0 is true."""
    beta: float = 0.05
    """Probability to accept H0 if H1 is true."""
    model: Model = Model.LOGISTIC

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise UsageError(f"elo0 must be below elo1, got {self.elo0:g} and {self.elo1:g}")
        if not (0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise UsageError("alpha and beta must lie between 0 and 0.5")


@dataclass(frozen=True)
class SprtResult:
    """The log-likelihood ratio and its bounds."""

    llr: float
    lower: float
    upper: float
    state: State


@dataclass(frozen=True)
class Walk:
    """The ratio as a random walk over units (games or pairs), in t-values of a unit.

    At a true t-value t the drift per unit is step * (t - middle), the deviation `step`.
    """

    step: float
    middle: float
    elo_per_t: float
    """Elo of the model per t-value, or per logistic Elo if there is a `deviation`."""
    deviation: float | None
    """Deviation of a unit's score per game; None for normalized Elo."""

    def elo(self, *, t: float) -> float:
        """Convert a t-value to the Elo of the test's model."""
        if self.deviation is None:
            return t * self.elo_per_t
        return self.elo_per_t * score_to_elo(score=0.5 + t * self.deviation)

    def t(self, *, elo: float) -> float:
        """Convert Elo to a t-value: the inverse of `elo`."""
        if self.deviation is None:
            return elo / self.elo_per_t
        return (elo_to_score(elo=elo / self.elo_per_t) - 0.5) / self.deviation


def bounds(*, alpha: float, beta: float) -> tuple[float, float]:
    """Return the lower and upper bound of the ratio for these error probabilities (Wald 1945)."""
    return math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha)


def sprt_result(*, counts: ArrayLike, test: Sprt) -> SprtResult:
    """Evaluate a test after one row of (L, D, W) or pentanomial counts.

    The bounds are Wald's; because the last step overshoots them, the true error probabilities are
    slightly smaller.

    Raises:
        UsageError: the counts are invalid.

    """
    ratio = float(llr(counts=counts, test=test))
    lower, upper = bounds(alpha=test.alpha, beta=test.beta)
    state = State.CONTINUE
    if ratio >= upper:
        state = State.ACCEPT_H1
    elif ratio <= lower:
        state = State.ACCEPT_H0
    return SprtResult(llr=ratio, lower=lower, upper=upper, state=state)


def llr(*, counts: ArrayLike, test: Sprt) -> FloatArray:
    """Return the generalised log-likelihood ratio of elo1 against elo0: counts (..., k) -> (...).

    Logistic Elo constrains the expected score, normalized Elo the t-value. Empty cells count as
    0.001; without games the ratio is 0. Errors as `sprt_result`.
    """
    array = regularise_counts(counts=counts)
    units = array.sum(axis=-1)
    frequencies = array / units[..., None]
    p = _under_hypotheses(array, test)
    ratio = units * np.sum(frequencies * np.log(p[..., 1, :] / p[..., 0, :]), axis=-1)
    played = check_counts(counts=counts).sum(axis=-1) > 0.0
    return np.asarray(np.where(played, ratio, 0.0))


def walk(*, counts: ArrayLike, test: Sprt) -> Walk:
    """Return the random walk that approximates a test's ratio, from one row of counts.

    The spread of a unit's score is that of the maximum-likelihood frequencies under the two
    hypotheses, which is also reasonable for shutouts. Errors as `sprt_result`.
    """
    array = regularise_counts(counts=counts)
    per_unit = games_per_unit(counts=array)
    if test.model is Model.NORMALIZED:
        scale = NORMALIZED / math.sqrt(per_unit)
        t0, t1 = test.elo0 / scale, test.elo1 / scale
        return Walk(step=t1 - t0, middle=0.5 * (t0 + t1), elo_per_t=scale, deviation=None)
    scores = unit_scores(size=array.shape[-1])
    ends = _under_hypotheses(array, test)
    means = [float(p @ scores) for p in ends]
    variances = [float(p @ (scores - mean) ** 2) for p, mean in zip(ends, means, strict=True)]
    deviation = math.sqrt(0.5 * sum(variances))
    logistic = [score_to_elo(score=mean) for mean in means]
    return Walk(
        step=(means[1] - means[0]) / deviation,
        middle=(0.5 * (means[0] + means[1]) - 0.5) / deviation,
        elo_per_t=(test.elo1 - test.elo0) / (logistic[1] - logistic[0]),
        deviation=deviation,
    )


def likeliest(*, frequencies: FloatArray, elo: Sequence[float], model: Model) -> FloatArray:
    """Return the maximum-likelihood frequencies at m Elo differences of a model, (..., m, k)."""
    if model is Model.NORMALIZED:
        scale = 1.0 if frequencies.shape[-1] == 3 else math.sqrt(2.0)
        each = [under_t_value(frequencies=frequencies, t=one / NORMALIZED * scale) for one in elo]
        return np.stack(each, axis=-2)
    shape = (*frequencies.shape[:-1], len(elo), frequencies.shape[-1])
    rows = np.broadcast_to(frequencies[..., None, :], shape)
    return under_mean(frequencies=rows, mean=[elo_to_score(elo=one) for one in elo])


def _under_hypotheses(array: FloatArray, test: Sprt) -> FloatArray:
    """Return the likeliest frequencies at elo0 and at elo1, shape (..., 2, k)."""
    frequencies = array / array.sum(axis=-1, keepdims=True)
    return likeliest(frequencies=frequencies, elo=(test.elo0, test.elo1), model=test.model)
