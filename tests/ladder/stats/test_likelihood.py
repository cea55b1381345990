"""The likeliest distributions of results under a hypothesis."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from ladder.stats.counts import regularise_counts, unit_scores
from ladder.stats.likelihood import under_mean, under_t_value

counts = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.integers(0, 300), min_size=k, max_size=k).filter(any)
)


def shares(row):
    array = regularise_counts(counts=row if len(row) != 4 else [*row, 0])
    return array / array.sum()


def t_value(p, scores):
    mean = p @ scores
    return (mean - 0.5) / np.sqrt(p @ (scores - mean) ** 2)


@pytest.mark.slow
@given(counts, st.floats(0.02, 0.98))
def test_the_solution_has_the_asked_score(row, mean):
    """The solution is a distribution and has the asked expected score."""
    f = shares(row)
    scores = unit_scores(size=f.size)
    p = under_mean(frequencies=f, scores=scores, mean=np.array(mean))
    assert np.all(p > 0)
    assert p.sum() == pytest.approx(1)
    assert p @ scores == pytest.approx(mean, abs=1e-7)


@pytest.mark.slow
@settings(max_examples=60)
@given(counts, st.floats(-1.5, 1.5))
def test_the_solution_has_the_asked_t_value(row, t):
    """The solution is a distribution and has the asked t-value, one-sided counts included."""
    f = shares(row)
    scores = unit_scores(size=f.size)
    p = under_t_value(frequencies=f, scores=scores, reference=0.5, t=t)
    assert np.all(p > 0)
    assert t_value(p, scores) == pytest.approx(t, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("t", [0.02, -0.3, 0.9, -2.5])
def test_no_general_optimiser_finds_better(t):
    """A constrained optimiser of scipy, from several starts, finds no higher likelihood."""
    rng = np.random.default_rng(7)
    for trial in range(4):
        size = (3, 5)[trial % 2]
        f = shares(list(rng.multinomial(40, rng.dirichlet(np.full(size, 0.4)))))
        scores = unit_scores(size=size)
        p = under_t_value(frequencies=f, scores=scores, reference=0.5, t=t)
        assert float(f @ np.log(p)) >= best_by_scipy(f, scores, t, rng) - 1e-6


def best_by_scipy(f, scores, t, rng):
    def simplex(x):
        e = np.exp(x - x.max())
        return e / e.sum()

    def miss(x):
        p = simplex(x)
        mean = p @ scores
        return mean - 0.5 - t * np.sqrt(p @ (scores - mean) ** 2 + 1e-300)

    best = -np.inf
    for _ in range(6):
        found = minimize(
            lambda x: -f @ np.log(simplex(x) + 1e-300),
            rng.normal(size=f.size),
            constraints={"type": "eq", "fun": miss},
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-12},
        )
        if abs(miss(found.x)) < 1e-8:
            best = max(best, -found.fun)
    return best


def test_rows_are_solved_as_if_alone():
    """Many rows at once give what each gives by itself."""
    rng = np.random.default_rng(3)
    rows = regularise_counts(counts=rng.multinomial(50, [0.1, 0.2, 0.4, 0.2, 0.1], size=6))
    f = rows / rows.sum(axis=1, keepdims=True)
    scores = unit_scores(size=5)
    together = under_t_value(frequencies=f, scores=scores, reference=0.5, t=0.1)
    for row, p in zip(f, together, strict=True):
        alone = under_t_value(frequencies=row, scores=scores, reference=0.5, t=0.1)
        assert np.allclose(p, alone, atol=1e-8)


@pytest.mark.parametrize("row", [(2, 0, 0), (44, 0, 1)])
def test_no_distribution_on_a_grid_is_likelier(row):
    """Results that a strong player had by great ill luck are likeliest at the widest spread."""
    f, t = shares(list(row)), 0.9
    p = under_t_value(frequencies=f, scores=unit_scores(size=3), reference=0.5, t=t)
    draws, wins = np.meshgrid(np.linspace(0.001, 0.998, 500), np.linspace(0.001, 0.998, 2000))
    mean = wins + draws / 2
    gap = mean - 0.5 - t * np.sqrt(np.maximum(wins + draws / 4 - mean**2, 0.0))
    meets = np.zeros(gap.shape, dtype=bool)
    meets[:-1] = np.sign(gap[:-1]) != np.sign(gap[1:])
    meets &= wins + draws < 0.999
    losses = 1.0 - wins[meets] - draws[meets]
    best = np.max(np.log(np.stack([losses, draws[meets], wins[meets]], axis=1)) @ f)
    assert float(f @ np.log(p)) > best - 0.002
