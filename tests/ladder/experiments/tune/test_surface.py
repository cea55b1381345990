"""The gain that a tuning expects, from a log of steps with a known answer."""

from dataclasses import replace

import numpy as np
import pytest

from db.records.tuning import TuningStepRow
from ladder.experiments.tune.parameters import read_parameters, values_at
from ladder.experiments.tune.surface import Surface
from ladder.stats.elo import SCALE

PARAMETERS = tuple(
    each.starting_at(None) for each in read_parameters(["a=0..0.2..1", "b=0..0.5..1"])
)


def elo(point: np.ndarray) -> float:
    """50 Elo above the start at (0.7, 0.5)."""
    return -200 * float((point[0] - 0.7) ** 2) - 100 * float((point[1] - 0.5) ** 2)


def log(seed: int, steps: int) -> list[TuningStepRow]:
    random = np.random.default_rng(seed)
    rows = []
    for step in range(1, steps + 1):
        a, b = random.random(2), random.random(2)
        chance = 1 / (1 + np.exp((elo(b) - elo(a)) / SCALE))
        games = random.binomial(2, chance, size=20)
        counts = np.bincount(2 * games, minlength=5)
        rows.append(
            TuningStepRow(
                step=step,
                a=values_at(PARAMETERS, a),
                b=values_at(PARAMETERS, b),
                pentanomial=tuple(int(count) for count in counts),
                forfeits=0,
                estimate={},
                duration_us=1,
            )
        )
    return rows


@pytest.mark.slow
def test_the_gain_lies_in_its_interval_as_often_as_stated() -> None:
    """Over many logs the true gain is inside of the 95 % interval about 95 times of 100."""
    best = np.array([0.7, 0.5])
    gains = [Surface(PARAMETERS, log(seed, 60)).gain(best) for seed in range(100)]
    inside = sum(abs(gain.elo - 50) <= gain.error95 for gain in gains)
    assert 88 <= inside <= 100
    assert abs(np.mean([gain.elo for gain in gains]) - 50) < 8


def test_without_games_nothing_is_known() -> None:
    """The start has a gain of nothing, and every other place a wide band around nothing."""
    surface = Surface(PARAMETERS, [])
    assert surface.gain(np.array([0.2, 0.5])).error95 == 0
    gain = surface.gain(np.array([0.9, 0.5]))
    assert gain.elo == 0
    assert gain.error95 > 200


def test_the_interval_comes_from_the_spread_of_the_pairs() -> None:
    """Pairs that are mostly split bound the gain more closely than pairs won by one side."""

    def error95(pentanomial: tuple[int, ...]) -> float:
        steps = [replace(step, pentanomial=pentanomial) for step in log(1, 60)]
        return Surface(PARAMETERS, steps).gain(np.array([0.7, 0.5])).error95

    assert error95((1, 0, 18, 0, 1)) < 0.5 * error95((10, 0, 0, 0, 10))
