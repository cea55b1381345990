"""Errors of ratings (the sandwich estimate), and bounds where only wins or losses are known.

The unit is the pair of games. Its two games share a board, so their results are dependent, mostly
in opposite directions: the first mover wins on a good board. Errors that treat games as independent
are wrong. The covariance here is bread * meat * bread (Huber 1967, White 1980; with clusters Liang
and Zeger 1986), where the meat is the observed second moment of the scores of whole pairs.

Plain sandwich estimates are too small with few clusters, and nearly 0 for shutouts. Therefore every
table's observed moment is mixed with the one that the model expects, scaled by the ratio of all
tables' moments to the model's. The expected moment has the weight of `EXPECTED_WEIGHT` squared
points of variance, about two even pairs. Residuals are enlarged by their leverage (MacKinnon and
White 1985, HC2, by table). Equal pairs count as one observation.

The maximum-likelihood rating of a player that has won or lost everything is infinite; the listed
one is determined by the prior. But the games bound how near to the others it may be: at the bound,
its shutout has a probability of 2.5 %, as at the closed end of a 95 % interval. The expected score
is the greatest probability to win all of a unit, as for a side that either wins or loses both games
of a pair, which is valid for any dependence within a pair. The other players keep their ratings.
"""

from collections.abc import Mapping
from math import log

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.fitting import Fit, Terms, logistic, predictors, scatter, terms, unpack
from ladder.stats.score_bound import TAIL
from ladder.stats.special import find_root

EXPECTED_WEIGHT = 1.0
"""Expected variance of a table's points at which both moments have the same weight."""
_MAX_LEVERAGE = 0.8


def observed_moments(cells: Cells, of_games: tuple[Terms, Terms]) -> FloatArray:
    """Return second moments of the clusters' scores along the two directions, (T, 2, 2)."""
    first = of_games[0].slope[:, cells.first]
    scores = [first, first]
    if cells.second is not None:
        second = of_games[1].slope[:, cells.second]
        scores = [first + second, first - second]
    stacked = np.stack(scores, axis=2)
    return np.asarray(np.einsum("tk,tki,tkj->tij", cells.counts, stacked, stacked))


def expected_moments(cells: Cells, of_games: tuple[Terms, Terms]) -> FloatArray:
    """Return second moments of independent games by the model, (T, 2, 2)."""
    out = np.zeros((cells.a.size, 2, 2))
    for games, term, sign in zip(cells.results(), of_games, (1.0, -1.0), strict=True):
        total = games.sum(axis=1)
        share = games / np.maximum(total, 1.0)[:, None]
        bend = total * np.sum(share * term.bend, axis=1)
        direction = np.array([1.0, sign])
        out += bend[:, None, None] * np.outer(direction, direction)
    return out


def cluster_moments(cells: Cells, fit: Fit) -> tuple[FloatArray, FloatArray]:
    """Return the moments of the meat and the expected moments, shape (T, 2, 2) each."""
    observed, expected = _moments(cells, fit.theta)
    repeats = np.ones_like(cells.clusters) if cells.repeats is None else cells.repeats
    number = np.maximum(cells.clusters / repeats, 1.0)
    # Ratio of the pool's spread to the model's, by direction, with the weight of a pair on 1.
    seen = observed.sum(axis=0).diagonal()
    model = expected.sum(axis=0).diagonal()
    one = model / max(float(number.sum()), 1.0)
    ratio = np.sqrt((seen + one) / np.where(model > 0, model + one, 1.0))
    scaled = expected * np.outer(ratio, ratio)
    leverage = np.minimum(_leverage(cells, fit, expected / number[:, None, None]), _MAX_LEVERAGE)
    enlarged = observed / (1.0 - leverage)[:, None, None]
    variance = expected[:, 0, 0] / repeats
    weight = (variance / (variance + EXPECTED_WEIGHT))[:, None, None]
    # The score of a cluster that stands r times in the sum has r squared of its variance.
    each = repeats[:, None, None]
    return each * (weight * enlarged + (1.0 - weight) * scaled), each * scaled


def _leverage(cells: Cells, fit: Fit, per_cluster: FloatArray) -> FloatArray:
    """Return the leverage of a typical cluster of each table, shape (T,)."""
    cover = fit.inverse
    players = len(cells.players)
    a, b, edge = cells.a, cells.b, players + cells.board_class
    strength = cover[a, a] + cover[b, b] - 2.0 * cover[a, b]
    return np.asarray(per_cluster[:, 0, 0] * strength + per_cluster[:, 1, 1] * cover[edge, edge])


def covariance(cells: Cells, fit: Fit) -> FloatArray:
    """Return the covariance of all parameters in squared natural units, 0 if not fitted: (P, P)."""
    moments, _ = cluster_moments(cells, fit)
    meat = scatter(cells, fit.theta.size, moments)
    return np.asarray(fit.inverse @ meat @ fit.inverse)


def pair_spread(cells: Cells, theta: FloatArray) -> float:
    """Return the ratio of the variance of a pair's points to that of two independent games.

    It is below 1 if pairs cancel the effect of the board or games are drawn, and 1 without games.
    """
    observed, expected = (float(each[:, 0, 0].sum()) for each in _moments(cells, theta))
    return (observed + 1.0) / (expected + 1.0)


def _moments(cells: Cells, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    first, second = predictors(theta, cells)
    of_games = terms(first), terms(second)
    return observed_moments(cells, of_games), expected_moments(cells, of_games)


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
