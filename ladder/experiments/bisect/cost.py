"""The cost of a search: how many games it may still take."""

import math

import numpy as np

from ladder.experiments.bisect.search import Search
from ladder.stats.sprt import Sprt, walk

LEFT_AT_THE_END = 0.2
"""Entropy of a posterior that answers, in nats."""
WASTE = 1.5
"""Pairs that a search takes for each that would do if all of them told as much as the best."""


def games_left(search: Search) -> float | None:
    """Games until the answer, roughly: entropy left, over what the best next pair would tell.

    A pair of a commit that is as likely weaker as not tells a step's square over eight, in nats,
    where the step is that of the log-likelihood ratio. None before any pair.
    """
    counts = np.sum([each.tally.pentanomial for each in search.tested.values()], axis=0)
    if not np.any(counts) or search.is_over:
        return None
    chances = np.append(search.posterior.blamed, search.posterior.none)
    entropy = -sum(chance * math.log(chance) for chance in chances.tolist() if chance > 0)
    test = Sprt(elo0=-search.expected_drop, elo1=0.0, model=search.question.model)
    told = walk(counts=counts, test=test).step ** 2 / 8
    left = 2 * WASTE * max(entropy - LEFT_AT_THE_END, 0.1) / told
    return min(left, search.question.max_games - search.games)
