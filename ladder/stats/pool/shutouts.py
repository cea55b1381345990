"""Bounds for players of a list that have won or lost everything.

Their maximum-likelihood rating is infinite; the listed one is determined by the prior. But the
games bound how near to the others such a player may be: at the bound, its shutout has a probability
of 2.5 %, as at the closed end of a 95 % interval. The unit is the cluster of `Cells` (a pair of
games, or a single game), and the expected score is the greatest probability to win all of it, as
for a side that either wins or loses both games of a pair, which is valid for any dependence within
a pair. The other players keep their listed ratings.
"""

from collections.abc import Mapping
from math import log

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.fitting import logistic, unpack
from ladder.stats.score_bound import TAIL
from ladder.stats.special import find_root

_FAR = 100.0
"""Natural units (17,000 Elo), more than any difference of fitted ratings."""


def slack(*, cells: Cells, theta: FloatArray, moves: Mapping[int, float]) -> float:
    """Return how far players may be from their fitted ratings, in natural units.

    `moves` is the direction by index: negative for players that won everything, positive for
    players that lost everything. Along it their results become less likely; at the returned
    distance they have the probability `TAIL`.
    """
    step = np.zeros(len(cells.players))
    for player, length in moves.items():
        step[player] = length
    ratings, advantages = unpack(theta, cells)
    rows = np.flatnonzero((step[cells.a] != 0.0) | (step[cells.b] != 0.0))
    a, b = cells.a[rows], cells.b[rows]
    # Players that move down have won, those that move up have lost, and one of the two moves.
    side = np.where(step[a] - step[b] < 0.0, 1.0, -1.0)
    gap, edge = side * (ratings[a] - ratings[b]), side * advantages[cells.board_class[rows]]
    closing = side * (step[a] - step[b])
    units = cells.clusters[rows]

    def unlikelihood(distance: float) -> float:
        z = gap + distance * closing
        won = logistic(z + edge)
        if cells.second is not None:
            won = 0.5 * (won + logistic(z - edge))
        return log(TAIL) - float(units @ np.log(np.maximum(won, 1e-300)))

    return find_root(unlikelihood, low=-_FAR, high=_FAR, start=(0.0, 1.0))
