"""Special functions of the project against the library's."""

import pytest
from scipy.special import chdtrc

from ladder.stats.special import binomial_tail, chi_square_tail


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 10, 101, 136, 2000, 19900])
@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.5, 0.98, 1.0, 1.02, 1.5, 4.0])
def test_the_tail_of_chi_square_agrees_with_scipy(freedom: int, ratio: float) -> None:
    """The finite sums must agree with scipy, far out and with many degrees of freedom, too."""
    value = ratio * freedom
    expected = float(chdtrc(freedom, value))
    assert chi_square_tail(value=value, freedom=freedom) == pytest.approx(
        expected, rel=1e-9, abs=1e-300
    )


def test_the_tail_of_a_binomial_distribution_is_the_sum_of_its_chances() -> None:
    """Compared with sums that are written down, and the ends of both arguments."""
    assert binomial_tail(count=3, trials=3, share=0.5) == pytest.approx(1 / 8)
    assert binomial_tail(count=2, trials=3, share=0.5) == pytest.approx(1 / 2)
    assert binomial_tail(count=9, trials=10, share=0.25) == pytest.approx(31 * 0.25**10)
    assert binomial_tail(count=0, trials=5, share=0.5) == 1
    assert binomial_tail(count=5, trials=5, share=1.0) == 1
    assert binomial_tail(count=1, trials=5, share=0.0) == 0
