"""Special functions of the project against the library's."""

import numpy as np
import pytest
from scipy.special import chdtrc

from ladder.stats.special import chi_square_tail, find_root, strong_groups


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 101, 136, 2000, 19900])
@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.5, 0.98, 1.0, 1.02, 1.5, 4.0])
def test_the_tail_of_chi_square_agrees_with_scipy(freedom: int, ratio: float) -> None:
    """The finite sums must agree with scipy, far out and with many degrees of freedom, too."""
    value = ratio * freedom
    expected = float(chdtrc(freedom, value))
    assert chi_square_tail(value=value, freedom=freedom) == pytest.approx(
        expected, rel=1e-9, abs=1e-300
    )


@pytest.mark.parametrize(
    ("tails", "heads", "groups"),
    [((0, 1), (1, 2), [0, 1, 2]), ((2, 1), (1, 0), [2, 1, 0]), ((0, 1, 2), (1, 2, 1), [0, 1, 1])],
)
def test_groups_are_numbered_along_the_edges(
    tails: tuple[int, ...], heads: tuple[int, ...], groups: list[int]
) -> None:
    """No edge must lead to a group of a smaller number, and a circle is one group."""
    assert strong_groups(size=3, tails=np.array(tails), heads=np.array(heads)).tolist() == groups


@pytest.mark.parametrize("root", [-10.0, -3.0, 0.0, 1e-9, 2.0, 9.999, 10.0])
@pytest.mark.parametrize("start", [(0.0, 1.0), (-9.0, 9.5)])
@pytest.mark.parametrize("power", [1.0 / 3.0, 1.0, 3.0])
def test_a_root_is_found_in_its_bracket(
    root: float, start: tuple[float, float], power: float
) -> None:
    """Flat and steep crossings are found, and without one the end that is nearer to it."""

    def function(at: float) -> float:
        return float(np.sign(at - root) * abs(at - root) ** power)

    found = find_root(function, low=-10.0, high=10.0, start=start)
    assert found == pytest.approx(root, abs=1e-7)
    assert find_root(function, low=-30.0, high=-20.0, start=(-22.0, -23.0)) == pytest.approx(-20.0)
