"""The Elo of settings as a quadratic surface, fitted to the results of the steps.

It estimates the gain of a tuning with an error; the gate decides.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from db.records.tuning import TuningStepRow
from ladder.experiments.tune.parameters import Parameter, Point, point_of, start_of
from ladder.stats.elo import SCALE, Z95

PRIOR_ELO = 200.0
"""Prior standard deviation of each coefficient, in Elo over the whole range of its parameters."""
PAIR_VARIANCE = 0.125
"""Variance of a pair's mean score without data: two independent games of equal bots."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The estimated Elo of some values over that of the start."""

    elo: float
    error95: float
    """Half of the 95 % interval; too small if the true surface is not quadratic."""


class Surface:
    """A quadratic function of the point, 0 at the start of the search.

    It is a Bayesian linear regression: the Elo of each step is the difference of the surface at its
    two settings, and the coefficients have a normal prior.
    """

    def __init__(self, parameters: Sequence[Parameter], steps: Sequence[TuningStepRow]) -> None:
        """Fit the surface to the results of steps, which may be empty."""
        self._start = start_of(parameters)
        count = self._terms(self._start[None]).shape[1]
        self._precision = np.eye(count) / PRIOR_ELO**2
        weighted = np.zeros(count)
        played = [step for step in steps if step.games]
        if played:
            a, b = (
                self._terms(np.array([point_of(parameters, values) for values in side]))
                for side in ([step.a for step in played], [step.b for step in played])
            )
            pairs = np.array([step.pentanomial for step in played], float)
            number = pairs.sum(axis=1)
            score = pairs @ np.linspace(0, 1, 5) / number
            # Near a score of 1/2 the logistic curve has the slope 1 / (4 * SCALE) per Elo.
            elo = (score - 0.5) * 4 * SCALE
            variance = _pair_variance(pairs.sum(axis=0)) * (4 * SCALE) ** 2
            weights = number / variance
            difference = a - b
            self._precision += (difference * weights[:, None]).T @ difference
            weighted = difference.T @ (weights * elo)
        self._coefficients = np.linalg.solve(self._precision, weighted)

    def gain(self, point: Point) -> Gain:
        """Return the Elo at a point over that of the start."""
        terms = self._terms(point[None])[0]
        variance = float(terms @ np.linalg.solve(self._precision, terms))
        return Gain(float(terms @ self._coefficients), Z95 * math.sqrt(variance))

    def _terms(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the linear and quadratic terms of points, shape (points, terms)."""
        away = points - self._start
        rows, columns = np.triu_indices(len(self._start))
        return np.concatenate([away, away[:, rows] * away[:, columns]], axis=1)


def _pair_variance(counts: NDArray[np.float64]) -> float:
    """Return the variance of a pair's mean score (0..1) from the pentanomial of all steps."""
    number, scores = counts.sum(), np.linspace(0, 1, 5)
    if number < 2:
        return PAIR_VARIANCE
    mean = float(counts @ scores) / number
    spread = float(counts @ (scores - mean) ** 2)
    return max(spread / (float(number) - 1), PAIR_VARIANCE / 100)
