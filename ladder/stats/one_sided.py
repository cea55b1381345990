"""One-sided bounds for results that are nearly all wins, where an estimate would be meaningless.

For a side that has won everything, the likelihood increases with Elo without a maximum, and the
spread of results, from which error bars are computed, is 0. But there is a bound: the weakest side
that wins everything with a probability of 5 %.

The unit is the pair of games (or the game, without pairs). The two games of a pair share a board,
which may decide both, so the weakest winner is one that either wins or loses both games of a pair:
its expected score is then its probability to win a pair, with the bound of Clopper and Pearson
(1934). This is valid for any dependence between the two games.

The bound is also valid after a sequential test that stopped on a shutout: no other results stop it
earlier, so "stopped after n units" has the probability of n won units.
"""

CHANCE = 0.05
"""Share of bounds that may be wrong."""


def least_score(*, full: float, rest: float, chance: float = CHANCE) -> float:
    """Return a lower bound of the expected score per game, 0..1, with confidence 1 - `chance`.

    `full` is the number of units with the full score, above 0, and `rest` the number of all others.
    For a shutout (`rest` 0) the bound is `chance` to the power of 1 / `full`. A side at the bound
    gets results this good with a probability of `chance`.
    """
    if rest == 0.0:
        return float(chance ** (1.0 / full))
    from ladder.stats.special import beta_quantile

    return beta_quantile(share=chance, a=full, b=rest + 1.0)


def chance_of_shutout(*, units: float) -> float:
    """Return the greatest probability that a side that is not stronger wins all units.

    An equal side wins both games of a pair at most half the time, as it loses both as often.
    """
    return float(0.5**units)
