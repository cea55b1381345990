"""The search, on games that are drawn from a known function."""

import numpy as np
import pytest

from ladder.experiments.tune.parameters import Parameter, read_parameters
from ladder.experiments.tune.spsa import Spsa
from ladder.stats.elo import SCALE


def searched(parameters: tuple[Parameter, ...], best: dict[str, float], steps: int) -> Spsa:
    """Return a search with steps of four pairs; Elo falls by 200 at half of every range."""
    search, random = Spsa(parameters, steps=steps, seed=7), np.random.default_rng(7)

    def elo(setting: dict[str, float]) -> float:
        away = [each.unit(setting[each.name]) - each.unit(best[each.name]) for each in parameters]
        return -800 * sum(one * one for one in away)

    while search.step < steps:
        a, b = search.propose()
        won = random.binomial(8, 1 / (1 + np.exp((elo(b) - elo(a)) / SCALE)))
        search.add_result(2 * int(won) - 8)
    return search


def test_the_search_finds_the_maximum_of_a_noisy_function() -> None:
    """From a far corner it comes near, on every kind of parameter."""
    parameters = read_parameters(["a=0..0.1..1", "n=0..250..256:int", "r=0.01..0.02..1:log"])
    found = searched(parameters, {"a": 0.7, "n": 64, "r": 0.2}, 1000).estimate
    assert abs(found["a"] - 0.7) < 0.12
    assert abs(found["n"] - 64) < 30
    assert 0.12 < found["r"] < 0.35
    assert found["n"] == int(found["n"])


def test_equal_results_give_equal_searches() -> None:
    """A search follows from its seed and its results, so it can be resumed from its log."""
    parameters = read_parameters(["a=0..1", "n=0..3:int"])
    one, other = (Spsa(parameters, steps=50, seed=3) for _ in range(2))
    for step in range(40):
        assert one.propose() == other.propose() == other.propose()
        for search in (one, other):
            search.add_result(step % 5 - 2)
    assert one.estimate == other.estimate
    first, second = (Spsa(parameters, steps=50, seed=seed) for seed in (3, 4))
    assert first.propose() != second.propose()


def test_settings_stay_in_the_range_and_differ() -> None:
    """However strong the pull, no bot is given a value outside; whole numbers always differ."""
    parameters = read_parameters(["a=0..1", "n=0..1:int", "m=0..3..3:int"])
    search = Spsa(parameters, steps=100, seed=1)
    for step in range(100):
        a, b = search.propose()
        assert 0 <= min(a["a"], b["a"]) < max(a["a"], b["a"]) <= 1
        assert {a["n"], b["n"]} == {0, 1}
        assert 0 <= min(a["m"], b["m"]) < max(a["m"], b["m"]) <= 3
        search.add_result(8 * (step > 50))


def test_the_estimate_is_the_mean_of_the_last_half() -> None:
    """Steps of the first half move the search, but do not count in its estimate."""
    (parameter,) = read_parameters(["a=0..1"])
    search = Spsa((parameter,), steps=20, seed=1)
    for step in range(20):
        if step == 10:
            reached = search.estimate["a"]
        search.add_result(2 if step < 10 else 0)
    assert search.estimate["a"] == pytest.approx(reached)
    assert reached != pytest.approx(0.5)


def test_the_points_of_the_last_half_count_alike() -> None:
    """A point lies in the middle of the two settings that are played from it."""
    (parameter,) = read_parameters(["a=0..1"])
    search, points = Spsa((parameter,), steps=20, seed=1), []
    for _ in range(20):
        search.add_result(1)
        a, b = search.propose()
        points.append((a["a"] + b["a"]) / 2)
    assert search.estimate["a"] == pytest.approx(np.mean(points[10:]), abs=1e-3)
    assert search.estimate["a"] != pytest.approx(points[-1], abs=1e-3)


def test_a_step_is_measured_by_the_perturbation_that_was_played() -> None:
    """An integer is perturbed by more than the sequence says, and moves by as much less."""
    parameters = read_parameters(["a=0..1", "n=0..2:int"])
    search = Spsa(parameters, steps=10, seed=3)
    start, (a, b) = search.point, search.propose()
    played = np.array([abs(a["a"] - b["a"]) / 2, parameters[1].least_step])
    assert played[1] > 1.2 * played[0]
    search.add_result(2)
    moved = np.abs(search.point - start)
    assert moved[0] * played[0] == pytest.approx(moved[1] * played[1])
