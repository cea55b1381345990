"""The cost of a search: the expected games until its answer."""

import math

import numpy as np

from ladder.experiments.bisect.search import CommitSearch
from ladder.stats.sprt import Sprt, walk

LEFT_AT_THE_END = 0.2
"""Entropy of the posterior at the end of a search, in nats."""
WASTE = 1.5
"""Pairs of a real search per pair of an ideal one, in which each pair is as informative as the
best."""


def games_left(search: CommitSearch) -> float | None:
    """Estimate the games until the answer; None before the first pair.

    It is the remaining entropy over the information of the best next pair. If a commit is weaker
    with a chance of one half, a pair of it gives step**2 / 8 nats, where step is the mean change of
    the log-likelihood ratio.
    """
    counts = np.sum([each.tally.pentanomial for each in search.tested.values()], axis=0)
    if not np.any(counts) or search.is_over:
        return None
    chances = np.append(search.posterior.blamed, search.posterior.none)
    entropy = -sum(chance * math.log(chance) for chance in chances.tolist() if chance > 0)
    test = Sprt(elo0=-search.expected_drop, elo1=0.0, model=search.question.model)
    information = walk(counts=counts, test=test).step ** 2 / 8
    left = 2 * WASTE * max(entropy - LEFT_AT_THE_END, 0.1) / information
    return min(left, search.question.max_games - search.games)
