"""SPSA: simultaneous perturbation stochastic approximation (Spall 1992), as chess engines use it.

In step k all parameters are moved at once, each up or down by c_k at random, and the two mirrored
settings play each other. Their result moves every parameter towards the side that won. The step
sequences are those of fishtest (Spall 1998 gives the exponents):

    c_k = c / k^gamma,   a_k = a / (A + k)^alpha,   theta += a_k / c_k * (wins - losses) * direction

with c and a set by their values at the end: c_end, the last perturbation, and r_end = a_end /
c_end^2, the last learning rate. The answer is the mean of theta over the last half of the steps
(Polyak and Juditsky 1992). docs/tuning.md has the simulations behind the numbers.
"""

import numpy as np
from numpy.typing import NDArray

from engine.seeds import SplitMix, mix
from ladder.experiments.tune.parameters import Kind, Parameter, Point, setting_at, start_of

ALPHA, GAMMA = 0.602, 0.101
A_SHARE = 0.1
"""A, of all steps."""
C_END = 0.15
"""The last perturbation, of a parameter's range."""
R_END = 0.02
"""The last learning rate, for a game."""
MEAN_SHARE = 0.5
"""The part of all steps, the last ones, whose mean is the answer."""
_DIRECTIONS = 0x5B5A
"""Apart from the streams of games in the same seed."""
_FRACTION = 1 << 53


class Spsa:
    """A search in steps; all of it follows from its arguments and the results it was told."""

    def __init__(self, parameters: tuple[Parameter, ...], *, steps: int, seed: int) -> None:
        """Begin where the parameters start.

        Args:
            parameters: what is searched.
            steps: how many there will be, at least 1; the sequences are made for so many.
            seed: of the directions.

        """
        self._parameters = parameters
        self._steps = steps
        self._seed = seed
        self._c = C_END * steps**GAMMA
        self._A = A_SHARE * steps
        self._a = R_END * C_END**2 * (self._A + steps) ** ALPHA
        self._least = np.array([each.least_step for each in parameters])
        self._theta = start_of(parameters)
        self._sum = np.zeros(len(parameters))
        self._summed = 0
        self.step = 0
        """Steps whose results are known."""

    def ask(self) -> tuple[dict[str, float], dict[str, float]]:
        """The two settings of the next step."""
        k = self.step + 1
        random = SplitMix(mix(self._seed, k, _DIRECTIONS))
        direction = self._direction(random)
        c = np.maximum(self._c / k**GAMMA, self._least)
        fractions = [random.below(_FRACTION) / _FRACTION for _ in self._parameters]
        a = self._given(self._theta + direction * c, fractions)
        b = self._given(self._theta - direction * c, fractions)
        for each, up in zip(self._parameters, direction > 0, strict=True):
            if a[each.name] == b[each.name]:  # whole numbers at a bound
                _part(each, *((a, b) if up else (b, a)))
        return a, b

    def tell(self, lead: int) -> None:
        """Take the result of the settings that `ask` gives.

        Args:
            lead: games won less games lost by the first of them.

        """
        k = self.step + 1
        direction = self._direction(SplitMix(mix(self._seed, k, _DIRECTIONS)))
        c = self._c / k**GAMMA
        rate = self._a / (self._A + k) ** ALPHA / c
        self._theta = np.clip(self._theta + rate * lead * direction, 0.0, 1.0)
        self.step = k
        if k > self._steps * (1 - MEAN_SHARE):
            self._sum += self._theta
            self._summed += 1

    @property
    def point(self) -> Point:
        """The place that the search has come to."""
        return self._sum / self._summed if self._summed else self._theta.copy()

    @property
    def estimate(self) -> dict[str, float]:
        """The setting that the search has come to."""
        return setting_at(self._parameters, self.point)

    def _direction(self, random: SplitMix) -> NDArray[np.float64]:
        return np.array([1.0 if random.below(2) else -1.0 for _ in self._parameters])

    def _given(self, point: Point, fractions: list[float]) -> dict[str, float]:
        """The values at a place; whole ones are rounded up as often as the place lies above.

        Both settings of a step are rounded alike, so that their distance is right in the mean.
        """
        values = {}
        for each, unit, fraction in zip(self._parameters, point, fractions, strict=True):
            value = each.value(float(unit))
            if each.kind is Kind.INT:
                value = float(np.floor(value + fraction))
            values[each.name] = each.settled(value)
        return values


def _part(parameter: Parameter, above: dict[str, float], below: dict[str, float]) -> None:
    """Make equal whole values differ by one, inside of their range."""
    name = parameter.name
    if above[name] < parameter.high:
        above[name] += 1
    else:
        below[name] -= 1
