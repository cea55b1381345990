"""Fitting weights to samples, and how well they foretell games that they have not seen."""

import math
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from bots.learned.fit import Network, fit, fresh_network, logits, no_moments
from bots.learned.network import HIDDEN
from ladder.learning.value.samples import Samples
from ladder.learning.value.settings import LearningSettings

BINS = 10
_LEAST_RATE = 0.05
"""Of the first rate, at the end of a training."""


class CalibrationBin(msgspec.Struct, frozen=True):
    """Held-out positions whose expected result lies in one tenth of 0 .. 1."""

    positions: int
    expected: float
    """Their mean expected result."""
    scored: float
    """The mean result of their games."""


class Quality(msgspec.Struct, frozen=True):
    """How well weights foretell the results of held-out games."""

    learned_loss: float
    """Mean cross-entropy of the targets that were learned from, in nats, as they were met."""
    held_out_loss: float
    """Mean cross-entropy of the held-out results, in nats; 0.693 is knowing nothing."""
    searched_loss: float
    """That of the values of the searches that played those games."""
    right: float
    """Share of the held-out decided games whose winner the sign of the value names."""
    calibration: tuple[CalibrationBin, ...]
    """The bins that hold positions, ascending."""

    @property
    def calibration_error(self) -> float:
        """Mean gap between expected and mean result over the held-out positions, tenth by tenth."""
        positions = sum(one.positions for one in self.calibration)
        gaps = sum(one.positions * abs(one.expected - one.scored) for one in self.calibration)
        return gaps / positions if positions else 0.0


def fitted(
    settings: LearningSettings, seed: int, learned: Samples, held_out: Samples
) -> tuple[Network, Quality]:
    """The network that learns from samples, from a fresh start, and its quality.

    Args:
        settings: of the training.
        seed: of the start and of the order of positions.
        learned: to learn from.
        held_out: of other games.

    """
    network = fresh_network(HIDDEN, seed)
    moments = no_moments(network)
    random = np.random.default_rng(seed)
    order = np.arange(len(learned.rows))
    steps, loss = 0, 0.0
    for epoch in range(settings.epochs):
        random.shuffle(order)
        fall = (1 + math.cos(math.pi * epoch / settings.epochs)) / 2
        rate = settings.rate * max(fall, _LEAST_RATE)
        loss, steps = fit(
            learned.rows, learned.targets, order, settings.batch, rate, network, moments, steps
        )
    return network, _quality(loss, network, held_out)


def _quality(loss: float, network: Network, held_out: Samples) -> Quality:
    known = ~np.isnan(held_out.results)
    rows, results = held_out.rows[known], held_out.results[known].astype(float)
    expected = 1 / (1 + np.exp(-logits(rows, network).astype(float)))
    decided = results != 0.5
    right = (expected > 0.5) == (results > 0.5)
    return Quality(
        learned_loss=round(loss, 5),
        held_out_loss=round(_cross_entropy(expected, results), 5),
        searched_loss=round(_cross_entropy(held_out.searched[known].astype(float), results), 5),
        right=round(float(right[decided].mean()), 5) if decided.any() else 0.0,
        calibration=tuple(_bins(expected, results)),
    )


def _cross_entropy(expected: NDArray[np.float64], results: NDArray[np.float64]) -> float:
    if not len(results):
        return 0.0
    sure = np.clip(expected, 0.01, 0.99)
    return float(-np.mean(results * np.log(sure) + (1 - results) * np.log(1 - sure)))


def _bins(expected: NDArray[np.float64], results: NDArray[np.float64]) -> Iterator[CalibrationBin]:
    places = np.minimum((expected * BINS).astype(int), BINS - 1)
    for place in range(BINS):
        inside = places == place
        if inside.any():
            yield CalibrationBin(
                int(inside.sum()),
                round(float(expected[inside].mean()), 5),
                round(float(results[inside].mean()), 5),
            )
