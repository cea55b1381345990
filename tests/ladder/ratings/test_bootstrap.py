import time

import numpy as np
import pytest

from ladder.ratings.bootstrap import bootstrap
from ladder.ratings.cells import from_games
from ladder.ratings.pool import Options, rate
from tests.ladder.ratings.pools import random_cells


def test_replicates_spread_as_the_covariance_says():
    """The bootstrap's deviation and the sandwich's agree to ten per cent on a full pool."""
    cells, _ = random_cells(np.random.default_rng(1), size=6, pairs=60, correlation=-0.6)
    rating = rate(cells=cells)
    again = bootstrap(cells=cells, rng=np.random.default_rng(2), number=1500)
    assert again.elo.shape == (1500, 6)
    assert again.elo.mean(axis=1) == pytest.approx(np.full(1500, 1000.0))
    assert again.elo.std(axis=0) == pytest.approx(rating.error95 / 1.96, rel=0.1)
    low, high = again.interval95()
    assert np.all((low < rating.elo) & (rating.elo < high))


def test_replicates_are_fits():
    """Each replicate is the list of its own resampled counts, however unequal the players."""
    cells, _ = random_cells(np.random.default_rng(3), size=4, pairs=3, spread=700)
    again = bootstrap(cells=cells, rng=np.random.default_rng(4), number=200)
    assert np.all(np.isfinite(again.elo))
    assert np.abs(again.elo - 1000).max() < 3000


def test_same_seed_same_replicates():
    """A seed makes the bootstrap repeatable, anchors and single games included."""
    cells = from_games(players="AB", first=[0, 1], second=[1, 0], counts=[[3, 1, 9], [7, 2, 4]])
    options = Options(anchors={"A": 0.0})
    one, two = (
        bootstrap(cells=cells, rng=np.random.default_rng(5), number=50, options=options)
        for _ in range(2)
    )
    assert np.array_equal(one.elo, two.elo)
    assert np.all(one.elo[:, 0] == 0.0)


@pytest.mark.slow
def test_speed():
    """17 players and a million games: list and 1,000 replicates stay far below their budgets."""
    cells, _ = random_cells(np.random.default_rng(6), size=17, pairs=3676)
    start = time.perf_counter()
    rate(cells=cells)
    middle = time.perf_counter()
    bootstrap(cells=cells, rng=np.random.default_rng(7), number=1000)
    end = time.perf_counter()
    assert middle - start < 0.5
    assert end - middle < 2.0  # 0.2 s when nothing else runs
