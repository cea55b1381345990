"""SPSA: simultaneous perturbation stochastic approximation (Spall 1992), as chess engines use it.

Step k moves all parameters at once by +-c_k, with random signs. The two mirrored settings play each
other, and the result moves every parameter towards the winner. The step sequences are those of
fishtest (Spall 1998 gives the exponents):

    c_k = c / k^gamma,   a_k = a / (A + k)^alpha,   theta += a_k / c_k * (wins - losses) * direction

c and a are set by their last values: the perturbation c_end, and the learning rate r_end = a_end /
c_end^2. The estimate is the mean of theta over the last half of the steps (Polyak and Juditsky
1992). docs/results/tunings.md has the simulations behind the numbers.
"""

import numpy as np
from numpy.typing import NDArray

from engine.seeds import SplitMix, mix
from ladder.experiments.tune.parameters import Parameter, Point, start_of, values_at

ALPHA, GAMMA = 0.602, 0.101
A_SHARE = 0.1
"""A, as a share of all steps."""
C_END = 0.15
"""The last perturbation, as a share of a parameter's range."""
R_END = 0.02
"""The last learning rate per game."""
MEAN_SHARE = 0.5
"""Share of the steps, the last ones, whose mean is the estimate."""
_DIRECTIONS = 0x5B5A
"""The stream of random numbers for directions, apart from those of games."""
_FRACTION = 1 << 53


class Spsa:
    """A search in steps, a pure function of its arguments and results."""

    def __init__(self, parameters: tuple[Parameter, ...], *, steps: int, seed: int) -> None:
        """Begin at the start of the parameters.

        Args:
            parameters: The parameters to tune.
            steps: The number of steps, at least 1, for which the sequences are computed.
            seed: The seed of the directions.

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
        """Number of steps with results."""

    def propose(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the two settings of the next step."""
        k = self.step + 1
        random = SplitMix(mix(self._seed, k, _DIRECTIONS))
        direction = self._direction(random)
        c = self._perturbation(k)
        fractions = [random.below(_FRACTION) / _FRACTION for _ in self._parameters]
        a = self._round(self._theta + direction * c, fractions)
        b = self._round(self._theta - direction * c, fractions)
        for each, up in zip(self._parameters, direction > 0, strict=True):
            if a[each.name] == b[each.name]:  # integers at a bound
                _separate(each, *((a, b) if up else (b, a)))
        return a, b

    def add_result(self, lead: int) -> None:
        """Take the result of the settings of `propose`.

        Args:
            lead: Games won minus games lost by the first values.

        """
        k = self.step + 1
        direction = self._direction(SplitMix(mix(self._seed, k, _DIRECTIONS)))
        rate = self._a / (self._A + k) ** ALPHA / self._perturbation(k)
        self._theta = np.clip(self._theta + rate * lead * direction, 0.0, 1.0)
        self.step = k
        if k > self._steps * (1 - MEAN_SHARE):
            self._sum += self._theta
            self._summed += 1

    @property
    def point(self) -> Point:
        """The present estimate as a point."""
        return self._sum / self._summed if self._summed else self._theta.copy()

    @property
    def estimate(self) -> dict[str, float]:
        """The present estimate as values of the parameters."""
        return values_at(self._parameters, self.point)

    def _perturbation(self, k: int) -> NDArray[np.float64]:
        """Return c_k of each parameter: integers must differ."""
        return np.asarray(np.maximum(self._c / k**GAMMA, self._least))

    def _direction(self, random: SplitMix) -> NDArray[np.float64]:
        return np.array([1.0 if random.below(2) else -1.0 for _ in self._parameters])

    def _round(self, point: Point, fractions: list[float]) -> dict[str, float]:
        """Return the values at a point, integers rounded at random: 2.3 becomes 3 in 30 % of steps.

        Both settings of a step use the same random fractions, so that the mean of their distance
        is exact.
        """
        values = {}
        for each, unit, fraction in zip(self._parameters, point, fractions, strict=True):
            value = each.value(float(unit))
            if each.is_int:
                value = float(np.floor(value + fraction))
            values[each.name] = each.rounded(value)
        return values


def _separate(parameter: Parameter, above: dict[str, float], below: dict[str, float]) -> None:
    """Make equal integers differ by one within their range."""
    name = parameter.name
    if above[name] < parameter.high:
        above[name] += 1
    else:
        below[name] -= 1
