"""A sequential test of a rate: does something happen more often than it may?

Looking after every game whether the share so far is above a limit finds a rate far below the limit
guilty sooner or later. This test may look after every unit. Its evidence is what a bettor has made
out of 1 who bets, unit after unit, that the rate is above the limit: at odds that are fair when it
is just the limit, and against him when it is lower. By Ville (1939) such a bettor ever has 1 / e
with a chance of at most e, however long he plays (Waudby-Smith and Ramdas 2023, for means of
bounded results). So "above the limit" at evidence 1 / e is wrong with a chance of at most e.

A unit's result is a share, 0..1: of the games of a pair, say, so that nothing is assumed about what
ties them together. The stakes are those of the likelihood ratio against a few higher rates, from
just above the limit to hopeless, and the bettor divides his money evenly between them.
"""

import math
from collections.abc import Mapping

ALTERNATIVES = (1.5, 2.5, 5.0, 15.0)
"""The rates that are bet on, in units of the limit."""


def log_evidence(*, shares: Mapping[float, int], limit: float) -> float:
    """Logarithm of the evidence that a rate is above `limit`, 0 without units.

    `shares` counts units by their result, 0..1. The rates that are bet on must be below 1: `limit`
    is above 0 and below 1/15.
    """
    purses = []
    for times in ALTERNATIVES:
        # The bet under which a unit of share 0 or 1 gives the likelihood ratio of the two rates.
        stake = (times - 1.0) / (1.0 - limit)
        gains = (math.log1p(stake * (share - limit)) * n for share, n in shares.items())
        purses.append(sum(gains))
    most = max(purses)
    total = sum(math.exp(purse - most) for purse in purses)
    return most + math.log(total / len(purses))
