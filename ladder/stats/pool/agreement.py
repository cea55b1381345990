"""A test whether groups of pairs, such as those of each machine, agree with one rating list.

For every group, the points of each player are compared with those that the list expects. If a
group's pairs are like all others, these residuals U have mean 0. Because the list was fitted to the
group's pairs, too, their covariance is

    C = V - V J I - I J V + I J S J I

where V is the variance of the group's residuals, I the group's information, S the variance of all
residuals and J the inverse of the total information. Then U' C^-1 U is a chi-square: Rao's score
test (1948) of the hypothesis that the players have the same ratings in this group, with the
variance from whole pairs instead of the model (Boos 1992).

With few pairs the residuals are not normal. Therefore I - I J I, which the list alone predicts for
C, is decomposed into eigenvectors, and only those are used along which a group's points have a
variance of at least `ENOUGH`. Their number is the degrees of freedom; it depends on the pairings,
not on the results.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.pool.cells import Cells, tally
from ladder.stats.pool.clusters import cluster_moments, expected_moments
from ladder.stats.pool.families import POINTS, ExpectedScore, logistic
from ladder.stats.pool.fitting import Fit, predictors, scatter
from ladder.stats.pool.goodness import residual_spread
from ladder.stats.special import chi_square_tail

ENOUGH = 2.0
"""Least variance of a direction that is used, in squared points: about eight even pairs."""


@dataclass(frozen=True)
class LargestDeviation:
    """The player whose points in a group differ most from those that the list expects."""

    player: str
    games: float
    """Games of the player in the group."""
    points: float
    expected: float


@dataclass(frozen=True)
class GroupFit:
    """The agreement of a group of pairs with the list."""

    pairs: float
    chi_square: float
    freedom: int
    p: float | None
    """Probability of residuals this large in a group like the others; None with too few pairs."""
    surprise: LargestDeviation | None
    """None with too few pairs."""


def agreement(*, cells: Cells, fit: Fit, groups: FloatArray) -> tuple[GroupFit, ...]:
    """Compare each of G groups of pairs with the list of all pairs.

    Args:
        cells: all pairs, of T tables with K outcomes.
        fit: the list's fit (`PoolRating.fit`).
        groups: numbers of pairs by group, table and outcome, shape (G, T, K); a pair is in at most
            one group.

    """
    moments, expected = cluster_moments(cells, ExpectedScore(), fit)
    whole = cells.counts[None]
    spread = moments.copy()
    spread[:, 0, 0] = residual_spread(cells, moments, expected, _residuals(cells, fit, whole)[0])
    first, second = (ExpectedScore().terms(z, 0.0) for z in predictors(fit.theta, cells))
    curvature = expected_moments(cells, (first, second))
    size, number = fit.theta.size, np.maximum(cells.clusters, 1.0)
    inverse = fit.inverse
    overall = inverse @ scatter(cells, size, spread) @ inverse
    found = []
    for counts, residual in zip(groups, _residuals(cells, fit, groups), strict=True):
        share = (counts.sum(axis=1) / number)[:, None, None]
        variance = scatter(cells, size, spread * share)
        information = scatter(cells, size, curvature * share)
        fitted = variance @ inverse @ information
        covariance = variance - fitted - fitted.T + information @ overall @ information
        predicted = information - information @ inverse @ information
        found.append(_group_fit(cells, counts, residual, covariance, predicted))
    return tuple(found)


def worst_chance(fits: Sequence[GroupFit]) -> float | None:
    """Return the probability of any group as far off as the worst if all agree (Bonferroni).

    The result is None if all groups have too few pairs.
    """
    chances = [fit.p for fit in fits if fit.p is not None]
    return min(1.0, len(chances) * min(chances)) if chances else None


def _group_fit(
    cells: Cells,
    counts: FloatArray,
    residual: FloatArray,
    covariance: FloatArray,
    predicted: FloatArray,
) -> GroupFit:
    """Compare one group by the covariances (P, P) from the pairs and as `predicted` by the list."""
    players = len(cells.players)
    by_player = tally(cells.a, cells.b, residual, -residual, players)
    lengths, directions = np.linalg.eigh(predicted[:players, :players])
    kept = directions[:, lengths >= ENOUGH]
    pairs, freedom = float(counts.sum()), kept.shape[1]
    if not freedom:
        return GroupFit(pairs, 0.0, 0, None, None)
    block = covariance[:players, :players]
    along = kept.T @ by_player
    chi_square = float(along @ np.linalg.solve(kept.T @ block @ kept, along))
    known = predicted.diagonal()[:players] >= 0.5 * ENOUGH
    z = np.abs(by_player) / np.sqrt(np.maximum(block.diagonal(), 1e-12))
    return GroupFit(
        pairs=pairs,
        chi_square=chi_square,
        freedom=freedom,
        p=chi_square_tail(value=chi_square, freedom=freedom),
        surprise=_surprise(cells, counts, by_player, int(np.argmax(np.where(known, z, -1.0)))),
    )


def _surprise(
    cells: Cells, counts: FloatArray, by_player: FloatArray, player: int
) -> LargestDeviation:
    games = (1 if cells.second is None else 2) * counts.sum(axis=1)
    own = tally(cells.a, cells.b, games, games, len(cells.players))[player]
    scored = _points(cells, counts)
    points = tally(cells.a, cells.b, scored, games - scored, len(cells.players))[player]
    return LargestDeviation(
        player=cells.players[player],
        games=float(own),
        points=float(points),
        expected=float(points - by_player[player]),
    )


def _points(cells: Cells, counts: FloatArray) -> FloatArray:
    """Return a's points in all games of each table, shape (..., T)."""
    each = POINTS[cells.first]
    if cells.second is not None:
        each = each + POINTS[cells.second]
    return np.asarray(counts @ each)


def _residuals(cells: Cells, fit: Fit, groups: FloatArray) -> FloatArray:
    """Return a's points less those that the list expects, by group and table: (G, T)."""
    first, second = (logistic(z) for z in predictors(fit.theta, cells))
    each = first if cells.second is None else first + second
    return np.asarray(_points(cells, groups) - groups.sum(axis=2) * each)
