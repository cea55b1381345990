"""Evidence about the mean of results by betting, valid at any time.

A bettor starts with a capital of 1 and bets on every unit that the mean of the results is above
`mean`, at odds that are fair if it is `mean` and unfavourable if it is lower. A stake of s turns a
result x into a gain of 1 + s * (x - mean). By Ville (1939) the capital ever reaches 1 / e with a
probability of at most e, so deciding "above" at a capital of 1 / e is wrong with a probability of
at most e, however often it is computed. The units may depend on each other, as long as each has
that mean given those before it (Waudby-Smith and Ramdas 2023, for means of bounded results).

The best stake is not known in advance, so the capital is divided evenly between several; the best
of them decides, and the division costs it a factor of their number.

Example: at a mean of 0.5 and a stake of 1.9, ten lost pairs (results 0, bet on "below") multiply
the capital by 1.95**10 = 795.
"""

import math
from collections.abc import Mapping, Sequence

STAKES = 20
"""Number of stakes of `log_evidence_above`, from a twentieth to all of the capital."""
MOST_AT_STAKE = 0.99
"""Largest part of the capital that a unit can lose."""


def log_evidence(*, results: Mapping[float, int], mean: float, stakes: Sequence[float]) -> float:
    """Return the logarithm of the capital that betting on a mean above `mean` has made.

    Args:
        results: number of units by result, 0..1.
        mean: the mean at which the bets are fair, 0..1.
        stakes: each above 0 and below 1 / mean, so that no result loses everything.

    """
    logs = [
        sum(math.log1p(stake * (result - mean)) * units for result, units in results.items())
        for stake in stakes
    ]
    most = max(logs)
    return most + math.log(sum(math.exp(log - most) for log in logs) / len(logs))


def log_evidence_above(*, results: Mapping[float, int], mean: float) -> float:
    """Return the log evidence that the mean of results is above `mean`, which is above 0."""
    stakes = [MOST_AT_STAKE * part / STAKES / mean for part in range(1, STAKES + 1)]
    return log_evidence(results=results, mean=mean, stakes=stakes)


def log_evidence_below(*, results: Mapping[float, int], mean: float) -> float:
    """Return the log evidence that the mean of results is below `mean`, which is below 1."""
    mirrored = {1.0 - result: units for result, units in results.items()}
    return log_evidence_above(results=mirrored, mean=1.0 - mean)
