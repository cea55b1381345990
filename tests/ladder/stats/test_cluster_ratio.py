"""Ratios of two sums over clusters, and their errors."""

import math

import numpy as np
import pytest

from ladder.stats.cluster_ratio import ratio_error95
from ladder.stats.elo import Z95


def test_the_error_is_that_computed_by_hand():
    """Residuals 0.2, -0.8, 1.2 and -0.6 of four clusters around a ratio of a fifth."""
    found = ratio_error95(np.array([1.0, 0, 2, 1]), np.array([4.0, 4, 4, 8]))
    assert found == pytest.approx(Z95 * math.sqrt(4 / 3 * 2.48 / 20**2))


def test_the_error_is_that_of_resampled_clusters():
    """Clusters drawn again with replacement spread the ratio as the error says."""
    rng = np.random.default_rng(5)
    wholes = rng.integers(1, 12, 400).astype(float)
    parts = rng.binomial(wholes.astype(int), rng.beta(2, 6, 400)).astype(float)
    draws = rng.integers(0, 400, (2000, 400))
    spread = (parts[draws].sum(axis=1) / wholes[draws].sum(axis=1)).std()
    assert ratio_error95(parts, wholes) == pytest.approx(Z95 * spread, rel=0.08)


@pytest.mark.parametrize(
    ("parts", "wholes", "expected"),
    [
        ([0.0, 0.0], [40.0, 20.0], 0.05),
        ([0.0, 0.0], [1.0, 1.0], 1.0),
        ([3.0], [9.0], None),
        ([3.0, 0.0], [9.0, 0.0], None),
        ([0.0, 0.0], [0.0, 0.0], None),
    ],
)
def test_without_spread_the_ratio_is_bounded(parts, wholes, expected):
    """No part anywhere bounds the ratio by three in all; one cluster gives no error."""
    assert ratio_error95(np.array(parts), np.array(wholes)) == expected
