"""Fitting weights to samples, and their quality on games that they were not fitted to."""

import math
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from bots.learned.fit import (
    Network,
    fit,
    logits,
    mean_network,
    network_of,
    new_network,
    zero_moments,
)
from bots.learned.network import HIDDEN
from bots.learned.weights import LearnedWeights
from ladder.learning.value.selfplay import Samples
from ladder.learning.value.settings import LearningSettings

BINS = 10
_LEAST_RATE = 0.05
"""Lower bound of the learning rate, as a share of the first one."""


class CalibrationBin(msgspec.Struct, frozen=True):
    """Held-out positions whose expected result lies in the same tenth of 0 to 1."""

    positions: int
    expected: float
    """Mean expected result."""
    scored: float
    """Mean result of the games."""


class Quality(msgspec.Struct, frozen=True):
    """The accuracy of weights on held-out games."""

    learned_loss: float
    """Mean cross-entropy of the training targets during the last epoch, in nats."""
    held_out_loss: float
    """Mean cross-entropy of the held-out results, in nats; a coin toss has 0.693."""
    searched_loss: float
    """The same of the searches that played those games."""
    right: float
    """Share of the held-out positions of decided games for which the value names the winner."""
    calibration: tuple[CalibrationBin, ...]
    """The bins that hold positions, in ascending order."""

    @property
    def calibration_error(self) -> float:
        """Mean gap between expected and scored result of the bins, weighted by positions."""
        positions = sum(one.positions for one in self.calibration)
        gaps = sum(one.positions * abs(one.expected - one.scored) for one in self.calibration)
        return gaps / positions if positions else 0.0


def fit_network(
    settings: LearningSettings,
    seed: int,
    learned: Samples,
    held_out: Samples,
    first: LearnedWeights | None = None,
) -> tuple[Network, Quality]:
    """Fit a network to samples, and return it with its quality.

    Args:
        settings: of the training.
        seed: of new weights and of the orders of positions.
        learned: samples to learn from.
        held_out: samples of other games, for the quality.
        first: weights to train further; None for new ones.

    """
    random = np.random.default_rng(seed)
    networks, losses = [], []
    for _ in range(settings.orders):
        network = new_network(HIDDEN, seed) if first is None else network_of(first)
        losses.append(_fit_epochs(settings, random, learned, network))
        networks.append(network)
    network = mean_network(networks)
    return network, _quality(sum(losses) / len(losses), network, held_out)


def _fit_epochs(
    settings: LearningSettings, random: np.random.Generator, learned: Samples, network: Network
) -> float:
    """Train a network in all epochs, and return its loss during the last one."""
    moments = zero_moments(network)
    order = np.arange(len(learned.rows))
    steps, loss = 0, 0.0
    for epoch in range(settings.epochs):
        random.shuffle(order)
        fall = (1 + math.cos(math.pi * epoch / settings.epochs)) / 2
        rate = settings.rate * max(fall, _LEAST_RATE)
        loss, steps = fit(
            learned.rows, learned.targets, order, settings.batch, rate, network, moments, steps
        )
    return loss


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
