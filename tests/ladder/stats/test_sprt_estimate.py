"""A test as Brownian motion between two walls: chances and mean times of its ends."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.stats.sprt_estimate import (
    chance_down_by,
    chance_inside_below,
    chance_up,
    chance_up_by,
    mean_time,
)

drifts = st.floats(-2, 2)
walls = st.floats(0.3, 60)
times = st.floats(0.5, 5000)


@pytest.mark.slow
@given(drifts, walls, walls, times)
def test_the_chances_of_all_ends_sum_to_one(drift, down, up, time):
    """The chances to be at the lower wall, the upper wall or between them sum to one."""
    total = (
        chance_down_by(time=time, drift=drift, down=down, up=up)
        + chance_up_by(time=time, drift=drift, down=down, up=up)
        + chance_inside_below(time=time, place=up, drift=drift, down=down, up=up)
    )
    assert total == pytest.approx(1, abs=1e-6)


@pytest.mark.slow
@given(drifts, walls, walls)
def test_the_upper_wall_is_met_with_walds_probability(drift, down, up):
    """Given enough time the upper wall is met with Wald's probability."""
    by_then = chance_up_by(time=1e6, drift=drift, down=down, up=up)
    assert by_then == pytest.approx(chance_up(drift=drift, down=down, up=up), abs=1e-6)


@given(walls, walls)
def test_the_mean_time_without_drift_is_the_product_of_the_distances(down, up):
    """It is continuous at a drift of 0."""
    still = mean_time(drift=0.0, down=down, up=up)
    assert still == pytest.approx(down * up)
    assert mean_time(drift=1e-5, down=down, up=up) == pytest.approx(still, rel=1e-2)


def test_the_first_passage_of_a_single_wall_is_inverse_gaussian():
    """With the other wall out of reach the first passage has its known distribution."""
    drift, up, time = 0.3, 2.0, 5.0
    phi = lambda z: 0.5 * math.erfc(-z / math.sqrt(2))  # noqa: E731 - one line, used twice
    want = phi((drift * time - up) / math.sqrt(time)) + math.exp(2 * drift * up) * phi(
        (-drift * time - up) / math.sqrt(time)
    )
    assert chance_up_by(time=time, drift=drift, down=80.0, up=up) == pytest.approx(want)
