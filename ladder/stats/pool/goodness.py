"""Goodness of fit of one rating per player, by the residuals of two players.

The points of every two players against each other are compared with those that the list expects.
The deviation of such a residual is from whole pairs of games, like the list's errors.
"""

import math
from dataclasses import dataclass

import numpy as np

from ladder.stats.counts import FloatArray, IntArray
from ladder.stats.elo import SCALE
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.fitting import Fit, predictors, terms
from ladder.stats.pool.intervals import cluster_moments
from ladder.stats.special import chi_square_tail

DOUBT = 0.01
"""Probability below which the list is reported not to describe the games."""
ENOUGH = 1.0
"""Least variance of the games of two players in the chi-square, in squared points: about four even
games. With less, the squares are too skewed."""
EXPECTED_PAIRS = 100.0
"""Number of pairs at which a table's own spread has the weight of the expected one."""


@dataclass(frozen=True)
class Residual:
    """The difference between two players' games and what the list expects."""

    a: str
    b: str
    games: float
    points: float
    """Points of A against B."""
    expected: float
    """Points of A that the list expects."""
    elo: float
    """Elo by which A does better against B than listed (one Newton step)."""
    z: float
    """The residual divided by its standard deviation."""


@dataclass(frozen=True)
class Goodness:
    """The fit of a list to its games."""

    chi_square: float
    freedom: int
    p: float | None
    """Probability of residuals this large if the list is right; None without degrees of freedom."""
    worst: tuple[Residual, ...]
    """Largest residuals, in descending order."""


def check(*, cells: Cells, fit: Fit, worst: int = 5) -> Goodness:
    """Compare a list with the games of every two of its players.

    `fit` is that of the list (`PoolRating.fit`). The chi-square sums the squared residuals of every
    two players with `ENOUGH` games (Pearson 1900, with the spread from pairs). Its degrees of
    freedom are their number less a proportional share of the fitted parameters. The result has at
    most `worst` residuals.
    """
    met = _by_players(cells, fit)
    z = met.residual / np.sqrt(met.variance)
    enough = met.variance >= ENOUGH
    chi_square = float(np.sum(z[enough] ** 2))
    used_up = int(fit.free.sum()) * float(np.mean(enough)) if z.size else 0.0
    freedom = int(np.sum(enough)) - math.ceil(used_up)
    p = chi_square_tail(value=chi_square, freedom=freedom) if freedom > 0 else None
    order = np.argsort(-np.abs(z), kind="stable")[:worst]
    return Goodness(
        chi_square=chi_square,
        freedom=max(freedom, 0),
        p=p,
        worst=tuple(_residual(cells.players, met, int(row), float(z[row])) for row in order),
    )


@dataclass(frozen=True)
class _HeadToHead:
    """Sums over all games of two players a < b, shape (M,) each."""

    a: IntArray
    b: IntArray
    games: FloatArray
    points: FloatArray
    residual: FloatArray
    variance: FloatArray
    information: FloatArray


def _by_players(cells: Cells, fit: Fit) -> _HeadToHead:
    moments, expected = cluster_moments(cells, fit)
    games, points, residual, information = (np.zeros(cells.a.size) for _ in range(4))
    for z, results in zip(predictors(fit.theta, cells), cells.results(), strict=True):
        term = terms(z)
        games += results.sum(axis=1)
        points += results @ np.array([0.0, 0.5, 1.0])
        residual += np.sum(results * term.slope, axis=1)
        information += np.sum(results * term.bend, axis=1)
    size = len(cells.players)
    low, high = np.minimum(cells.a, cells.b), np.maximum(cells.a, cells.b)
    keys, place = np.unique(low * size + high, return_inverse=True)
    turned = np.where(cells.a < cells.b, 1.0, -1.0)

    def total(values: FloatArray) -> FloatArray:
        out = np.zeros(keys.size)
        np.add.at(out, place, values)
        return out

    return _HeadToHead(
        a=keys // size,
        b=keys % size,
        games=total(games),
        points=total(np.where(turned > 0, points, games - points)),
        residual=total(turned * residual),
        variance=total(residual_spread(cells, moments, expected, residual)),
        information=total(information),
    )


def residual_spread(
    cells: Cells, moments: FloatArray, expected: FloatArray, residual: FloatArray
) -> FloatArray:
    """Return the variance of each table's residual if the list is right, shape (T,).

    It is the expected variance until a table has many pairs: with few, a small residual comes with
    a small observed spread, and their squared ratio is not a chi-square. How much the two games of
    a pair cancel depends on how even they are, so the expected variance is fitted over all tables
    as v * (x + y v), with v the model's variance of a pair.
    """
    number = np.maximum(cells.clusters, 1.0)
    single = expected[:, 0, 0] / number
    columns = np.stack([np.ones_like(single), single], axis=1)
    root = np.sqrt(number)
    shares = moments[:, 0, 0] / number / np.maximum(single, 1e-12)
    (x, y), *_ = np.linalg.lstsq(columns * root[:, None], shares * root, rcond=None)
    fitted = expected[:, 0, 0] * np.clip(x + y * single, 0.25, 4.0)
    about_mean = np.maximum(moments[:, 0, 0] - residual**2 / number, 0.0)
    weight = number / (number + EXPECTED_PAIRS)
    return np.asarray(weight * about_mean + (1.0 - weight) * fitted + 1e-12)


def _residual(players: tuple[str, ...], met: _HeadToHead, row: int, z: float) -> Residual:
    return Residual(
        a=players[int(met.a[row])],
        b=players[int(met.b[row])],
        games=float(met.games[row]),
        points=float(met.points[row]),
        expected=float(met.points[row] - met.residual[row]),
        elo=SCALE * float(met.residual[row] / met.information[row]),
        z=z,
    )
