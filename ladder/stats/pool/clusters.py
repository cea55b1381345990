"""Errors that treat the pair of games as the unit (the sandwich estimate).

The two games of a pair share a board, so their results hang together, mostly against each other:
who moves first on a good board wins. Treating games as independent makes every error bar wrong.
The covariance here is bread * meat * bread (Huber 1967, White 1980; by clusters Liang and Zeger
1986), where the meat is the observed second moment of whole pairs' scores.

Plain sandwiches are too small on few clusters, and nearly nothing on shutouts. So every table's
observed moment is mixed with what the model expects of it, scaled by how all tables together
compare with the model; the expected one has as much weight as `EXPECTED_WEIGHT` points squared of
expected variance, about two even pairs, would have. And residuals are enlarged by their leverage
(MacKinnon and White 1985, HC2, by table).
"""

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.families import ExpectedScore, OutcomeModel, Terms
from ladder.stats.pool.fitting import Fit, predictors, scatter, unpack

EXPECTED_WEIGHT = 1.0
"""Expected variance of a table's points, squared points, at which both moments weigh the same."""
_MAX_LEVERAGE = 0.8


def observed_moments(cells: Cells, terms: tuple[Terms, Terms]) -> FloatArray:
    """Second moments of the clusters' scores along a table's three directions, (T, 3, 3)."""
    first = terms[0].slope[:, cells.first]
    margin = terms[0].margin_slope[:, cells.first]
    scores = [first, first, margin]
    if cells.second is not None:
        second = terms[1].slope[:, cells.second]
        scores = [first + second, first - second, margin + terms[1].margin_slope[:, cells.second]]
    stacked = np.stack(scores, axis=2)
    return np.asarray(np.einsum("tk,tki,tkj->tij", cells.counts, stacked, stacked))


def expected_moments(cells: Cells, terms: tuple[Terms, Terms]) -> FloatArray:
    """Second moments of independent games with the model's spread, by direction, (T, 3, 3)."""
    out = np.zeros((cells.a.size, 3, 3))
    for games, term, sign in zip(cells.results(), terms, (1.0, -1.0), strict=True):
        total = games.sum(axis=1)
        share = games / np.maximum(total, 1.0)[:, None]
        bend = total * np.sum(share * term.bend, axis=1)
        direction = np.array([1.0, sign])
        out[:, :2, :2] += bend[:, None, None] * np.outer(direction, direction)
        cross = np.sum(games * term.cross_bend, axis=1)[:, None] * direction
        out[:, :2, 2] += cross
        out[:, 2, :2] += cross
        out[:, 2, 2] += np.sum(games * term.margin_bend, axis=1)
    return out


def cluster_moments(cells: Cells, family: OutcomeModel, fit: Fit) -> tuple[FloatArray, FloatArray]:
    """(moments to build the meat from, expected moments), shape (T, 3, 3) each."""
    _, _, margin = unpack(fit.theta, cells)
    z1, z2 = predictors(fit.theta, cells)
    terms = (family.terms(z1, margin), family.terms(z2, margin))
    observed, expected = observed_moments(cells, terms), expected_moments(cells, terms)
    number = np.maximum(cells.clusters, 1.0)
    # How much the pool's spread exceeds the model's, per direction, with one pair's weight on 1.
    seen = observed.sum(axis=0).diagonal()
    model = expected.sum(axis=0).diagonal()
    one = model / max(float(number.sum()), 1.0)
    ratio = np.sqrt((seen + one) / np.where(model > 0, model + one, 1.0))
    scaled = expected * np.outer(ratio, ratio)
    leverage = np.minimum(_leverage(cells, fit, expected / number[:, None, None]), _MAX_LEVERAGE)
    enlarged = observed / (1.0 - leverage)[:, None, None]
    variance = expected[:, 0, 0]
    weight = (variance / (variance + EXPECTED_WEIGHT))[:, None, None]
    return weight * enlarged + (1.0 - weight) * scaled, scaled


def _leverage(cells: Cells, fit: Fit, per_cluster: FloatArray) -> FloatArray:
    """Share of a typical cluster of each table in its own prediction, shape (T,)."""
    cover = fit.inverse
    players = len(cells.players)
    a, b, edge = cells.a, cells.b, players + cells.board_class
    strength = cover[a, a] + cover[b, b] - 2.0 * cover[a, b]
    return np.asarray(per_cluster[:, 0, 0] * strength + per_cluster[:, 1, 1] * cover[edge, edge])


def covariance(cells: Cells, family: OutcomeModel, fit: Fit) -> FloatArray:
    """Covariance of all parameters in natural units squared, 0 where not fitted: (P, P)."""
    moments, _ = cluster_moments(cells, family, fit)
    meat = scatter(cells, fit.theta.size, moments)
    return np.asarray(fit.inverse @ meat @ fit.inverse)


def pair_spread(cells: Cells, theta: FloatArray) -> float:
    """Variance of a pair's points over what two independent games without draws would have.

    Below 1 when pairs cancel the board's help or games are drawn; 1 where nothing is known.
    """
    z1, z2 = predictors(theta, cells)
    terms = (ExpectedScore().terms(z1, 0.0), ExpectedScore().terms(z2, 0.0))
    observed = float(observed_moments(cells, terms)[:, 0, 0].sum())
    expected = float(expected_moments(cells, terms)[:, 0, 0].sum())
    return (observed + 1.0) / (expected + 1.0)
