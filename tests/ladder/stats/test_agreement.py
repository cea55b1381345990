"""Groups of pairs compared with one list."""

import numpy as np
import pytest
from scipy.stats import kstest

from ladder.stats.pool.agreement import agreement, worst_chance
from ladder.stats.pool.cells import from_games, from_tables
from ladder.stats.pool.rating import rate_pool
from tests.ladder.stats.pools import names
from tests.support.simulated_gates import pair_table


def simulated(rng, *, size, pairs, shares, weaker=0.0):
    """Return the fits of groups of simulated pairs; p0 is weaker in the first group."""
    elo = rng.normal(0, 250.0, size)
    met = list(zip(*np.triu_indices(size, 1), strict=True))
    groups = np.zeros((len(shares), len(met), 9))
    for row, (i, j) in enumerate(met):
        gap = elo[i] - elo[j]
        tables = [pair_table(elo=gap, advantage=80, draws=0.1, correlation=-0.4)] * len(shares)
        if weaker and i == 0:
            tables[0] = pair_table(elo=gap - weaker, advantage=80, draws=0.1, correlation=-0.4)
        for group, number in enumerate(rng.multinomial(rng.poisson(pairs), shares)):
            groups[group, row] = rng.multinomial(number, tables[group].ravel())
    kept = groups.sum(axis=(0, 2)) > 0
    a, b = np.array(met)[kept].T
    cells = from_tables(players=names(size), a=a, b=b, counts=groups[:, kept].sum(axis=0))
    return agreement(cells=cells, fit=rate_pool(cells=cells).fit, groups=groups[:, kept])


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("size", "pairs", "shares"),
    [(2, 60, (0.5, 0.5)), (8, 6, (0.1, 0.3, 0.6))],
)
def test_p_values_are_even_when_all_groups_are_alike(size, pairs, shares):
    """Over 250 seeded leagues the p-value is evenly spread, however few the pairs."""
    rng = np.random.default_rng(1)
    fits = [simulated(rng, size=size, pairs=pairs, shares=shares)[0] for _ in range(250)]
    chances = np.array([fit.p for fit in fits if fit.p is not None])
    assert len(chances) > 100
    assert kstest(chances, "uniform").pvalue > 0.01
    assert np.mean(chances < 0.01) < 0.01 + 3 * np.sqrt(0.01 / len(chances))


def test_a_group_that_differs_is_named_by_its_player():
    """One player 200 Elo weaker in one of three groups makes that group the least likely."""
    rng = np.random.default_rng(2)
    fits = simulated(rng, size=6, pairs=120, shares=(0.25, 0.35, 0.4), weaker=200.0)
    worst, *others = fits
    assert worst.p < 1e-6
    assert all(other.p > worst.p for other in others)
    assert worst.surprise.player == "p0"
    assert worst.surprise.points < worst.surprise.expected - 10
    assert worst_chance(fits) == 3 * worst.p


def test_too_few_pairs_have_no_p_value():
    """Two pairs have no p-value, no degrees of freedom and no largest deviation."""
    counts = np.zeros((2, 1, 9))
    counts[0, 0, 0], counts[1, 0, 8] = 2, 2
    cells = from_tables(players="AB", a=[0], b=[1], counts=counts.sum(axis=0))
    fits = agreement(cells=cells, fit=rate_pool(cells=cells).fit, groups=counts)
    assert [(fit.pairs, fit.freedom, fit.p, fit.surprise) for fit in fits] == [
        (2, 0, None, None)
    ] * 2
    assert worst_chance(fits) is None


def test_single_games_can_be_grouped_too():
    """Single games are compared with their list in the same way."""
    lost, won = [60.0, 10.0, 30.0], [30.0, 10.0, 60.0]
    counts = np.array([[lost, won], [won, lost]])
    cells = from_games(players="AB", first=[0, 1], second=[1, 0], counts=counts.sum(axis=0))
    one, other = agreement(cells=cells, fit=rate_pool(cells=cells).fit, groups=counts)
    assert one.p < 1e-4
    assert one.p == pytest.approx(other.p, rel=0.2)
