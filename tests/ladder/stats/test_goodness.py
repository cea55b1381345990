"""How well a rating list explains its games."""

import numpy as np
import pytest

from ladder.stats.pool.cells import from_tables
from ladder.stats.pool.goodness import DOUBT, Goodness
from ladder.stats.pool.goodness import check as check_fit
from ladder.stats.pool.rating import rate_pool
from tests.ladder.stats.pools import names, random_cells, random_tables
from tests.support.simulated_gates import pair_table


def check(*, cells) -> Goodness:
    """Check the list of these games."""
    return check_fit(cells=cells, fit=rate_pool(cells=cells).fit)


@pytest.mark.slow
def test_a_list_that_explains_its_games_is_not_doubted():
    """Over 60 seeded pools that one number per player describes, few are doubted."""
    rng = np.random.default_rng(1)
    chances = []
    for _ in range(60):
        cells, _ = random_cells(rng, size=8, pairs=20)
        found = check(cells=cells)
        assert found.p is not None
        chances.append(found.p)
    p = np.array(chances)
    assert np.mean(p < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert np.mean(p >= DOUBT) > 0.9


def test_a_residual_is_given_in_points_and_elo():
    """A surprising opponent is listed with points scored and expected."""
    rng = np.random.default_rng(3)
    a, b, _, tables, _ = random_tables(rng, size=6, pairs=30, spread=10)
    row = np.flatnonzero((a == 2) & (b == 4))[0]
    tables[row] = rng.multinomial(60, pair_table(elo=300.0, draws=0.2).ravel()).reshape(3, 3)
    worst = check(cells=from_tables(players=names(6), a=a, b=b, counts=tables)).worst[0]
    assert (worst.a, worst.b, worst.games) == ("p2", "p4", 120)
    first, second = np.arange(3)[:, None], np.arange(3)
    assert worst.points == float((tables[row] * (first + second)).sum()) / 2
    assert worst.points > worst.expected + 15
    assert worst.elo > 80
    assert worst.z > 3


@pytest.mark.parametrize("pairs", [1, 5000])
def test_a_list_of_two_players_is_not_checked(pairs):
    """With two players the list describes everything there is."""
    table = np.zeros((1, 3, 3))
    table[0, 2, 2] = pairs
    found = check(cells=from_tables(players="AB", a=[0], b=[1], counts=table))
    assert found.p is None
    assert np.isfinite(found.chi_square)
