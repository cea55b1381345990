"""A sequential test whether a rate is above a limit.

Comparing the share so far with the limit after every game would sooner or later condemn a rate far
below the limit. This test may be evaluated after every unit; its evidence is that of
`ladder.stats.betting`. A unit's result is a share, 0..1, for example of the games of a pair, whose
dependence then does not matter.
"""

from collections.abc import Mapping

from ladder.stats import betting

ALTERNATIVES = (1.5, 2.5, 5.0, 15.0)
"""Rates to bet on, in multiples of the limit."""


def log_evidence(*, shares: Mapping[float, int], limit: float) -> float:
    """Return the logarithm of the evidence that a rate is above `limit`, 0 without units.

    `shares` is the number of units by result, 0..1. `limit` must be above 0 and below 1/15, because
    the rates to bet on must be below 1.
    """
    # With these stakes a unit of share 0 or 1 multiplies the capital by the likelihood ratio of the
    # rate that is bet on and the limit.
    stakes = [(times - 1.0) / (1.0 - limit) for times in ALTERNATIVES]
    found = betting.log_evidence(
        counts=list(shares.values()), results=list(shares), mean=limit, stakes=stakes
    )
    return float(found)
