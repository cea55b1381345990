"""Evidence by betting: fair at the mean, and growing beyond it."""

import itertools
import math
from collections.abc import Callable

import pytest

from ladder.stats.betting import log_evidence_above, log_evidence_below

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
