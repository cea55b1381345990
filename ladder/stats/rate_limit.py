"""A sequential test whether a rate is above a limit.

Comparing the share so far with the limit after every game would sooner or later condemn a rate far
below the limit. This test may be evaluated after every unit. Its evidence is the capital of a
bettor who starts with 1 and bets on every unit that the rate is above the limit, at odds that are
fair if the rate is the limit and unfavourable if it is lower. By Ville (1939) the capital ever
reaches 1 / e with a probability of at most e (Waudby-Smith and Ramdas 2023, for means of bounded
results). So deciding "above the limit" at evidence 1 / e is wrong with a probability of at most e.

A unit's result is a share, 0..1, for example of the games of a pair, whose dependence then does not
matter. The stakes are those of the likelihood ratios against a few higher rates, and the capital is
divided evenly between them.
"""

import math
from collections.abc import Mapping

ALTERNATIVES = (1.5, 2.5, 5.0, 15.0)
"""Rates to bet on, in multiples of the limit."""


def log_evidence(*, shares: Mapping[float, int], limit: float) -> float:
    """Return the logarithm of the evidence that a rate is above `limit`, 0 without units.

    `shares` is the number of units by result, 0..1. `limit` must be above 0 and below 1/15, because
    the rates to bet on must be below 1.
    """
    purses = []
    for times in ALTERNATIVES:
        # With this stake a unit of share 0 or 1 multiplies the capital by the likelihood ratio.
        stake = (times - 1.0) / (1.0 - limit)
        gains = (math.log1p(stake * (share - limit)) * n for share, n in shares.items())
        purses.append(sum(gains))
    most = max(purses)
    total = sum(math.exp(purse - most) for purse in purses)
    return most + math.log(total / len(purses))
