"""Errors of ratings that take the pair as the unit."""

from dataclasses import replace

import numpy as np
import pytest

from ladder.stats.pool.rating import RatingOptions, rate_pool
from tests.ladder.stats.pools import random_cells


def resampled(cells, rng, number, options):
    """Rate lists of resampled pairs, table by table (Efron 1979)."""
    totals = cells.counts.sum(axis=1).astype(int)
    lists = []
    for _ in range(number):
        counts = np.stack(
            [
                rng.multinomial(total, row / total)
                for total, row in zip(totals, cells.counts, strict=True)
            ]
        )
        again = rate_pool(cells=replace(cells, counts=counts.astype(float)), options=options)
        lists.append(np.concatenate([again.elo, again.advantage]))
    return np.array(lists)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correlation", "options"),
    [(-0.6, RatingOptions()), (0.6, RatingOptions(anchors={"p1": 1200.0}))],
)
def test_errors_are_those_of_resampled_pairs(correlation, options):
    """Stated errors agree to ten per cent with lists of whole pairs drawn again."""
    rng = np.random.default_rng(1)
    cells, _ = random_cells(rng, size=5, pairs=60, correlation=correlation)
    rating = rate_pool(cells=cells, options=options)
    lists = resampled(cells, np.random.default_rng(2), 300, options)
    stated = np.concatenate([rating.error95, rating.advantage_error95]) / 1.96
    assert lists.std(axis=0) == pytest.approx(stated, rel=0.1)
    gaps = lists[:, 0] - lists[:, 4]
    assert gaps.std() == pytest.approx(rating.difference(a=0, b=4).error95 / 1.96, rel=0.1)
