"""The likeliest distributions of results under a hypothesis, against a slow search."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ladder.stats.counts import regularise_counts, unit_scores
from ladder.stats.elo import NORMALIZED, elo_to_score
from ladder.stats.evidence import drop_evidence
from ladder.stats.likelihood import under_t_value
from ladder.stats.sprt import Model, Sprt, llr


def near_shutouts(size):
    """Draw counts of one outcome, and perhaps a few of another."""
    full = st.tuples(st.integers(0, size - 1), st.integers(1, 300))
    other = st.tuples(st.integers(0, size - 1), st.integers(0, 3))
    return st.tuples(full, other).map(
        lambda cells: [sum(n for at, n in cells if at == i) for i in range(size)]
    )


counts = st.sampled_from((3, 5)).flatmap(
    lambda k: (
        st.lists(st.integers(0, 300), min_size=k, max_size=k).filter(any)
        | st.lists(st.integers(0, 2), min_size=k, max_size=k).filter(any)
        | near_shutouts(k)
    )
)
elos = st.builds(
    lambda size, sign: sign * math.exp(size),
    st.floats(0.0, math.log(2000.0)),
    st.sampled_from((-1, 1)),
)


@pytest.mark.slow
@settings(max_examples=30)
@given(counts, elos, elos | st.just(0.0), st.sampled_from([Model.LOGISTIC, Model.NORMALIZED]))
def test_ratios_are_those_of_a_slow_search(row, one, other, model):
    """Both models agree with an independent search over all moments of the scores."""
    low, high = sorted((one, other))
    assume(high - low > 0.1)
    f = regularise_counts(counts=row)
    units, f = f.sum(), f / f.sum()
    slow = units * (slow_maximum(f, high, model) - slow_maximum(f, low, model))
    got = float(llr(counts=row, test=Sprt(elo0=low, elo1=high, model=model)))
    assert got == pytest.approx(slow, abs=1e-5 + 1e-9 * units)
    if len(row) == 5 and high == 0.0:
        evidence = drop_evidence(counts=row, drops=[-low], model=model)
        assert float(evidence[0]) == pytest.approx(-got, abs=1e-9)


@pytest.mark.parametrize(
    ("row", "drop", "ratio"),
    [
        ((20, 0, 0, 0, 0), 1000, -13.56939),
        ((10, 10, 0, 0, 0), 370, -10.03002),
        ((0, 180, 1, 0, 0), 300, -62.91767),
        ((247, 13, 2), 683, -155.73730),
        ((33, 3, 0), 761, -22.13498),
        ((0, 1, 146, 0, 0), 110, 22.08524),
        ((0, 0, 0, 136, 0), 1400, 532.15953),
    ],
)
def test_one_sided_results_at_wide_bounds(row, drop, ratio):
    """Normalized Elo has several local maxima there; the ratio is that of the highest."""
    test = Sprt(elo0=-drop, elo1=0, model=Model.NORMALIZED)
    assert float(llr(counts=row, test=test)) == pytest.approx(ratio, abs=1e-4)


def slow_maximum(f, elo, model):
    """Return the highest log-likelihood under a hypothesis: search over mean and square."""
    b = unit_scores(size=f.size) - 0.5
    if model is Model.LOGISTIC or elo == 0.0:
        mean = elo_to_score(elo=elo) - 0.5
        least = mean**2 + max((mean - x) * (y - mean) for x, y in itertools.pairwise(b))
        squares = np.linspace(least, 0.25, 400)
        return highest(lambda square: likelihood(f, b, np.full(square.size, mean), square), squares)
    t = abs(elo) / NORMALIZED * (1.0 if f.size == 3 else math.sqrt(2.0))
    f = f if elo > 0 else f[::-1]
    means = np.union1d(np.geomspace(1e-7, 0.5, 400), np.linspace(0.0, 0.5, 600))[1:]
    return highest(lambda mean: likelihood(f, b, mean, mean**2 * (1.0 + 1.0 / t**2)), means)


def highest(function, grid):
    """Return the maximum of a function, searched from the highest places of a grid."""
    padded = np.concatenate([[-np.inf], function(grid), [-np.inf]])
    at = np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))
    best = -np.inf
    for place in sorted(at, key=lambda place: -padded[place + 1])[:4]:
        low, high = grid[max(place - 1, 0)], grid[min(place + 1, grid.size - 1)]
        for _ in range(9):
            fine = np.linspace(low, high, 23)
            values = function(fine)
            top = int(values.argmax())
            best = max(best, float(values[top]))
            low, high = fine[max(top - 1, 0)], fine[min(top + 1, 22)]
    return best


def likelihood(f, b, mean, square):
    """Return the highest log-likelihood for each mean and mean square of the scores.

    With five scores two numbers are free. Newton steps begin at the mean of the corners of the
    polygon of possible distributions.
    """
    fixed = np.stack([np.ones(f.size), b, b * b])
    moments = np.stack([np.ones(mean.size), mean, square])
    total, corners = np.zeros((mean.size, f.size)), np.zeros((mean.size, 1))
    for cells in map(list, itertools.combinations(range(f.size), 3)):
        corner = np.linalg.solve(fixed[:, cells], moments).T
        possible = np.all(corner >= -1e-15, axis=1, keepdims=True)
        total[:, cells] += np.where(possible, corner, 0.0)
        corners += possible
    p = total / np.maximum(corners, 1.0)
    inside = np.all(p > 0.0, axis=1)
    p = p[inside]
    free = np.linalg.svd(fixed)[2][3:]
    for _ in range(200 if free.size else 0):
        slope = (f / p) @ free.T
        bend = np.einsum("nk,ik,jk->nij", f / p**2, free, free)
        adjugate = np.stack([bend[:, ::-1, 1] * [1, -1], bend[:, ::-1, 0] * [-1, 1]], axis=1)
        size = bend[:, 0, 0] * bend[:, 1, 1] - bend[:, 0, 1] ** 2
        step = np.einsum("nij,nj->ni", adjugate, slope) / size[:, None]
        gain, move = np.sum(slope * step, axis=1), step @ free
        share = np.minimum(1.0, 0.95 / np.maximum((-move / p).max(axis=1), 1e-300))
        for _ in range(40):
            new = p + share[:, None] * move
            worse = np.log(new) @ f < np.log(p) @ f + 1e-4 * share * gain - 1e-15
            if not worse.any():
                break
            share = np.where(worse, 0.5 * share, share)
        p = np.maximum(p + share[:, None] * move, 1e-300)
        if np.all(gain < 1e-12):
            break
    found = np.full(mean.size, -np.inf)
    found[inside] = np.log(p) @ f
    return found


def test_rows_are_solved_as_if_alone():
    """Many rows at once give what each gives by itself."""
    rng = np.random.default_rng(3)
    rows = regularise_counts(counts=rng.multinomial(50, [0.1, 0.2, 0.4, 0.2, 0.1], size=6))
    f = rows / rows.sum(axis=1, keepdims=True)
    together = under_t_value(frequencies=f, t=0.1)
    for row, p in zip(f, together, strict=True):
        assert np.allclose(p, under_t_value(frequencies=row, t=0.1), atol=1e-8)
