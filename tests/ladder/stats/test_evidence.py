"""Evidence by betting: fair at the mean or the limit, and growing beyond it."""

import itertools
import math
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.stats.evidence import (
    RATES,
    log_evidence_above,
    log_evidence_below,
    log_evidence_of_rate,
)

RESULTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize(
    "shares", [(0.5, 0, 0, 0, 0.5), (0.1, 0.2, 0.4, 0.2, 0.1), (0.3, 0.2, 0.2, 0.2, 0.1)]
)
@pytest.mark.parametrize("evidence", [log_evidence_above, log_evidence_below])
def test_the_bets_are_fair_at_the_mean(
    shares: tuple[float, ...], evidence: Callable[..., float]
) -> None:
    """Over all sequences of four results with the mean of the bets, the capital is 1 on average;
    by Ville's inequality this bounds the chance of a wrong decision."""
    mean = sum(map(math.prod, zip(RESULTS, shares, strict=True)))
    expected = 0.0
    for cells in itertools.product(range(5), repeat=4):
        counts = [cells.count(cell) for cell in range(5)]
        capital = math.exp(evidence(counts=counts, mean=mean))
        expected += math.prod(shares[cell] for cell in cells) * capital
    assert expected == pytest.approx(1.0)


def test_the_bets_lose_on_the_wrong_side() -> None:
    """Results below the mean are no evidence for a mean above it, and the reverse."""
    lost = [30, 0, 10, 0, 0]
    assert log_evidence_above(counts=lost, mean=0.5) < math.log(1 / 20)
    assert log_evidence_below(counts=lost, mean=0.5) > math.log(200)


def test_rows_of_counts_are_judged_each_by_itself() -> None:
    """Arrays of counts give the evidence of each row, also for games instead of pairs."""
    rows = [[3, 1, 0, 0, 2], [0, 0, 9, 1, 0]]
    both = log_evidence_above(counts=rows, mean=0.4)
    single = [float(log_evidence_above(counts=row, mean=0.4)) for row in rows]
    assert both.tolist() == pytest.approx(single)
    games = log_evidence_below(counts=[5, 2, 1], mean=0.5)
    assert games == pytest.approx(log_evidence_below(counts=[5, 0, 2, 0, 1], mean=0.5))


LIMIT = 0.02


def called(rng, *, rate, units, tests, error, together):
    """Share of simulated tests, looked at after every pair, that call the rate too high."""
    if together:
        failed = 2 * (rng.random((tests, units)) < rate)
    else:
        failed = rng.binomial(2, rate, size=(tests, units))
    gains = {share: np.array([log_of(share, times) for times in RATES]) for share in (0, 1, 2)}
    purses = np.stack([gains[share] for share in (0, 1, 2)])[failed].cumsum(axis=1)
    evidence = np.logaddexp.reduce(purses, axis=2) - math.log(len(RATES))
    for row in range(3):  # the vectorised sums are those of the function itself
        counts = Counter((failed[row] / 2).tolist())
        assert evidence[row, -1] == pytest.approx(log_evidence_of_rate(shares=counts, limit=LIMIT))
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
    here = log_evidence_of_rate(shares={0.0: none, 0.5: half, 1.0: both}, limit=LIMIT)
    ways = [{0.0: none + 1, 0.5: half, 1.0: both}, {0.0: none, 0.5: half, 1.0: both + 1}]
    less, more = (math.exp(log_evidence_of_rate(shares=way, limit=LIMIT) - here) for way in ways)
    assert (1 - LIMIT) * less + LIMIT * more == pytest.approx(1.0)
    assert less < 1 < more
