"""Bounds for players of a list that have won everything, or lost everything.

Their likeliest rating is infinite; the listed one is where the prior holds it. What the games do
say is how near to the others such a player may be: moved towards them until its shutout would
happen with no more than 5 %. The cluster of `Cells` (a pair of games, or a single game) is the
unit, with the expected score as the greatest chance to win it whole, as in
`ladder.stats.one_sided`: that needs no assumption about what ties the games of a pair together.
The other players stay where they are listed.
"""

from collections.abc import Mapping
from math import log

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.one_sided import CHANCE
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.families import logistic
from ladder.stats.pool.fitting import unpack
from ladder.stats.special import falling_root

_FAR = 100.0
"""Natural units (17,000 Elo): farther than any fitted rating lies from another."""


def slack(*, cells: Cells, theta: FloatArray, moves: Mapping[int, float]) -> float:
    """The farthest that players may be from their fitted ratings, in natural units, 95 % sure.

    `moves` names the direction: indices of players that won everything, with a negative number,
    and of players that lost everything, with a positive one. Along it all their games get less
    likely; at the distance returned, the results that they have had are as likely as `CHANCE`.
    """
    step = np.zeros(len(cells.players))
    for player, length in moves.items():
        step[player] = length
    ratings, advantages, _ = unpack(theta, cells)
    rows = np.flatnonzero((step[cells.a] != 0.0) | (step[cells.b] != 0.0))
    a, b = cells.a[rows], cells.b[rows]
    # Whoever moves down has won, whoever moves up has lost, and one of the two moves.
    side = np.where(step[a] - step[b] < 0.0, 1.0, -1.0)
    gap, edge = side * (ratings[a] - ratings[b]), side * advantages[cells.board_class[rows]]
    closing = side * (step[a] - step[b])
    units = cells.clusters[rows]

    def likelihood(distance: float) -> float:
        z = gap + distance * closing
        won = logistic(z + edge)
        if cells.second is not None:
            won = 0.5 * (won + logistic(z - edge))
        return float(units @ np.log(np.maximum(won, 1e-300))) - log(CHANCE)

    return falling_root(likelihood, low=-_FAR, high=_FAR)
