"""The test of a failure rate against its limit, after each pair."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.stats.rate_limit import ALTERNATIVES, log_evidence

LIMIT = 0.02


def called(rng, *, rate, units, tests, error, together):
    """Share of simulated tests, looked at after every pair, that call the rate too high."""
    if together:
        failed = 2 * (rng.random((tests, units)) < rate)
    else:
        failed = rng.binomial(2, rate, size=(tests, units))
    gains = {
        share: np.array([log_of(share, times) for times in ALTERNATIVES]) for share in (0, 1, 2)
    }
    purses = np.stack([gains[share] for share in (0, 1, 2)])[failed].cumsum(axis=1)
    evidence = np.logaddexp.reduce(purses, axis=2) - math.log(len(ALTERNATIVES))
    for row in range(3):  # the vectorised sums are those of the function itself
        counts = Counter((failed[row] / 2).tolist())
        assert evidence[row, -1] == pytest.approx(log_evidence(shares=counts, limit=LIMIT))
    return np.mean((evidence >= -math.log(error)).any(axis=1))


def log_of(half_share, times):
    """Gain of one purse on a pair with so many of two games failed."""
    high, share = times * LIMIT, half_share / 2
    return math.log((1 - share) * (1 - high) / (1 - LIMIT) + share * high / LIMIT)


@pytest.mark.slow
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("rate", [0.01, 0.02])
def test_a_rate_up_to_the_limit_is_rarely_called_too_high(rate, together):
    """Looking after each of 750 pairs, at most the stated 5 % may be wrong, however failures of a
    pair hang together; well below the limit next to none."""
    wrong = called(
        np.random.default_rng(1), rate=rate, units=750, tests=2000, error=0.05, together=together
    )
    assert wrong <= (0.05 if rate == LIMIT else 0.01)


@pytest.mark.parametrize(("rate", "units"), [(0.5, 10), (0.1, 150), (0.05, 700)])
def test_a_rate_far_above_the_limit_is_found(rate, units):
    """A bot that fails so often must be found within so many pairs nearly always."""
    found = called(
        np.random.default_rng(2), rate=rate, units=units, tests=1000, error=0.025, together=False
    )
    assert found > 0.97


@pytest.mark.slow
@given(st.integers(0, 3000), st.integers(0, 300), st.integers(0, 300))
def test_the_evidence_is_a_fair_bet(none, half, both):
    """At the limit one more pair changes the evidence by a factor of 1 in the mean, and failures
    raise it while their absence lowers it."""
    here = log_evidence(shares={0.0: none, 0.5: half, 1.0: both}, limit=LIMIT)
    ways = [{0.0: none + 1, 0.5: half, 1.0: both}, {0.0: none, 0.5: half, 1.0: both + 1}]
    less, more = (math.exp(log_evidence(shares=way, limit=LIMIT) - here) for way in ways)
    assert (1 - LIMIT) * less + LIMIT * more == pytest.approx(1.0)
    assert less < 1 < more
