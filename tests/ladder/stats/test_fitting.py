"""The maximum-likelihood fit behind the rating list."""

import numpy as np
import pytest

from ladder.stats.pool.cells import from_tables
from ladder.stats.pool.fitting import Setup, _evaluate, maximise
from tests.ladder.stats.pools import random_cells


def test_slope_and_bend_are_those_of_the_height():
    """The gradient and the Hessian, from which all errors come, are differences of the value."""
    rng = np.random.default_rng(3)
    cells, _ = random_cells(rng, size=4, pairs=6, advantage=(80.0, 20.0))
    setup = Setup(prior=1.5, anchors={}, advantage=None)
    theta = rng.normal(0, 0.4, 6)
    _, gradient, hessian = _evaluate(cells, setup, theta)
    width = 1e-5
    for place in range(theta.size):
        step = np.zeros_like(theta)
        step[place] = width
        above, below = (_evaluate(cells, setup, theta + s) for s in (step, -step))
        assert gradient[place] == pytest.approx((above[0] - below[0]) / (2 * width), rel=1e-5)
        assert hessian[place] == pytest.approx((below[1] - above[1]) / (2 * width), abs=1e-5)


def test_a_class_without_games_changes_nothing():
    """A board class without games has an advantage of 0 and leaves all others as they are."""
    counts = np.array([[[4, 0, 1], [0, 1, 2], [2, 0, 5]], [[1, 0, 3], [1, 0, 0], [4, 1, 6]]])
    setup = Setup(prior=0.0, anchors={}, advantage=None)
    made = {"players": "ABC", "a": [0, 1], "b": [1, 2], "counts": counts}
    alone = maximise(cells=from_tables(**made), setup=setup)
    cells = from_tables(**made, board_class=[0, 0], classes=("all", "none", "neither"))
    fit = maximise(cells=cells, setup=setup)
    assert fit.theta == pytest.approx([*alone.theta, 0.0, 0.0])
    assert fit.free.tolist() == [True, True, False, True, False, False]
