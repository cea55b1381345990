"""Do groups of pairs, such as those that each machine played, follow one and the same list?

For every group the points of each player are compared with what the list expects. If a group's
pairs are like all others, these residuals U have mean 0 and, because the list was fitted to the
group's own pairs as well, the covariance

    C = V - V J I - I J V + I J S J I

with V the variance of the group's residuals, I the group's information, S the variance of all
residuals and J the inverse of all information. U' C^-1 U is then a chi-square: Rao's score test
(1948) of "the players have the same ratings in this group as elsewhere", with the variance taken
from whole pairs instead of the model (Boos 1992).

Few pairs make few numbers normal. So what the list alone expects of C, which is I - I J I, is taken
apart into its directions, and only those enter in which a group's points have a variance of
`ENOUGH`: their number is the degrees of freedom. Who met whom how often decides which they are, and
not how well anybody did here.
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
"""Least variance, in points squared, of a direction that enters: about eight even pairs."""


@dataclass(frozen=True)
class Surprise:
    """A player whose points in a group are farthest from what the list expects."""

    player: str
    games: float
    """Of the player in the group."""
    points: float
    expected: float


@dataclass(frozen=True)
class GroupFit:
    """How a group of pairs follows the list."""

    pairs: float
    chi_square: float
    freedom: int
    p: float | None
    """Chance of residuals this large in a group like the others; None when nothing can be told."""
    surprise: Surprise | None
    """None when nothing can be told."""


def agreement(*, cells: Cells, fit: Fit, groups: FloatArray) -> tuple[GroupFit, ...]:
    """Hold each of G groups of pairs against the list of all pairs.

    Args:
        cells: all pairs, of T tables with K outcomes.
        fit: of the list (`PoolRating.fit`).
        groups: the groups' pairs in the order of the tables and outcomes, shape (G, T, K); a pair
            is in one group at most.

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
        told = information - information @ inverse @ information
        found.append(_group_fit(cells, counts, residual, covariance, told))
    return tuple(found)


def worst_chance(fits: Sequence[GroupFit]) -> float | None:
    """The chance of any group as far off as the worst, if all are alike (Bonferroni).

    None when nothing can be told of any.
    """
    chances = [fit.p for fit in fits if fit.p is not None]
    return min(1.0, len(chances) * min(chances)) if chances else None


def _group_fit(
    cells: Cells,
    counts: FloatArray,
    residual: FloatArray,
    covariance: FloatArray,
    told: FloatArray,
) -> GroupFit:
    """One group; `covariance` of all parameters by the pairs, `told` by the list: (P, P) each."""
    players = len(cells.players)
    by_player = tally(cells.a, cells.b, residual, -residual, players)
    lengths, directions = np.linalg.eigh(told[:players, :players])
    kept = directions[:, lengths >= ENOUGH]
    pairs, freedom = float(counts.sum()), kept.shape[1]
    if not freedom:
        return GroupFit(pairs, 0.0, 0, None, None)
    block = covariance[:players, :players]
    along = kept.T @ by_player
    chi_square = float(along @ np.linalg.solve(kept.T @ block @ kept, along))
    known = told.diagonal()[:players] >= 0.5 * ENOUGH
    z = np.abs(by_player) / np.sqrt(np.maximum(block.diagonal(), 1e-12))
    return GroupFit(
        pairs=pairs,
        chi_square=chi_square,
        freedom=freedom,
        p=chi_square_tail(value=chi_square, freedom=freedom),
        surprise=_surprise(cells, counts, by_player, int(np.argmax(np.where(known, z, -1.0)))),
    )


def _surprise(cells: Cells, counts: FloatArray, by_player: FloatArray, player: int) -> Surprise:
    games = (1 if cells.second is None else 2) * counts.sum(axis=1)
    own = tally(cells.a, cells.b, games, games, len(cells.players))[player]
    scored = _points(cells, counts)
    points = tally(cells.a, cells.b, scored, games - scored, len(cells.players))[player]
    return Surprise(
        player=cells.players[player],
        games=float(own),
        points=float(points),
        expected=float(points - by_player[player]),
    )


def _points(cells: Cells, counts: FloatArray) -> FloatArray:
    """A's points in all games of each table, shape (..., T)."""
    each = POINTS[cells.first]
    if cells.second is not None:
        each = each + POINTS[cells.second]
    return np.asarray(counts @ each)


def _residuals(cells: Cells, fit: Fit, groups: FloatArray) -> FloatArray:
    """A's points less those that the list expects, by group and table: (G, T)."""
    first, second = (logistic(z) for z in predictors(fit.theta, cells))
    each = first if cells.second is None else first + second
    return np.asarray(_points(cells, groups) - groups.sum(axis=2) * each)
