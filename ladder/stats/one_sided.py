"""One-sided bounds where a plain estimate would be a pretence: nearly all results are full scores.

A side that has won everything has no likeliest Elo: the likelihood rises for ever, and the spread
of the results, which error bars are made from, is nothing. What can be said is how weak the winner
might be and still have won everything, now and then.

The unit is the pair of games (or the game, where nothing is known of pairs). The two games of a
pair share a board and may be decided by it together, so the weakest winner is one that wins a pair
whole or loses it whole: its expected score is then its chance to win a pair, whose limit is that of
Clopper and Pearson (1934). That holds whatever ties the two games together.

It also allows for a sequential test that stopped on the shutout: nothing stops earlier than units
that are all won, so that "stopped after n of them" has the chance of n won units and no other.
"""

CHANCE = 0.05
"""The share of bounds that may be wrong: each is 95 % sure."""


def least_score(*, full: float, rest: float, chance: float = CHANCE) -> float:
    """The lowest expected score per game, 0..1, that such results do not contradict.

    `full` counts the units with the full score, above 0, and `rest` all others, of which nothing
    more is used: 0 for a shutout, for which the bound is `chance` to the power of 1 / `full`.
    The results of a side at the bound are this good with a probability of `chance`.
    """
    if rest == 0.0:
        return float(chance ** (1.0 / full))
    from ladder.stats.special import beta_quantile

    return beta_quantile(share=chance, a=full, b=rest + 1.0)


def chance_of_shutout(*, units: float) -> float:
    """The greatest chance, 0..1, that the weaker or equal of two sides wins all of so many units.

    An equal side wins a pair whole at most half the time, because it loses one whole as often.
    """
    return float(0.5**units)
