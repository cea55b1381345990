"""Does one number per player describe the games? Residuals per two players, overall, and in cycles.

For every two players the points they scored against each other are compared with the list. The
deviation of that residual comes from whole pairs of games, as the list's errors do. A triad of
players whose three residuals add up around the circle (rock, paper, scissors) is something that no
list of single numbers can hold.
"""

import math
from dataclasses import dataclass

import numpy as np

from ladder.stats.counts import FloatArray, IntArray
from ladder.stats.elo import SCALE, normal_cdf
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.clusters import cluster_moments
from ladder.stats.pool.families import ExpectedScore
from ladder.stats.pool.fitting import Fit, predictors
from ladder.stats.special import chi_square_tail

DOUBT = 0.01
"""Below this probability a check says that the list does not describe the games."""
ENOUGH = 1.0
"""Least variance, in points squared, of the games of two players who enter the chi-square: about
four even games; with less the squares are too skewed for it."""
EXPECTED_PAIRS = 100.0
"""Pairs at which a table's own spread weighs as much as the expected one."""


@dataclass(frozen=True)
class Residual:
    """Two players whose games with each other differ from what the list expects."""

    a: str
    b: str
    games: float
    points: float
    """Scored by A against B."""
    expected: float
    """Points that the list expects of A."""
    elo: float
    """About how much stronger A plays against B than the list says, in Elo (one Newton step)."""
    z: float
    """The residual in its own deviations."""


@dataclass(frozen=True)
class Cycle:
    """Three players, each better against the next than the list can say."""

    players: tuple[str, str, str]
    elo: float
    """Sum of the head-to-head differences around the circle in Elo; 0 if the list is right."""
    z: float


@dataclass(frozen=True)
class Goodness:
    """The fit of a list to its games."""

    chi_square: float
    freedom: int
    p: float | None
    """Chance of residuals this large if the list is right; None when nothing is left to check."""
    worst: tuple[Residual, ...]
    """Largest residuals first."""
    cycles: tuple[Cycle, ...]
    """Strongest first."""
    cycle_p: float | None
    """Chance of a cycle this strong if there are none (Bonferroni); None without triads."""
    describes: bool
    """False when either chance is below `DOUBT`."""


def check(*, cells: Cells, fit: Fit, worst: int = 5) -> Goodness:
    """Compare a list with the games between every two of its players.

    `fit` is that of the list (`PoolRating.fit`). The chi-square sums the squared residuals over
    every two players with `ENOUGH` games (Pearson 1900, with the spread taken from pairs); its
    degrees of freedom are their number less the fitted parameters, shared out over all.
    At most `worst` residuals and cycles are named.
    """
    met = _by_players(cells, fit)
    z = met.residual / np.sqrt(met.variance)
    enough = met.variance >= ENOUGH
    chi_square = float(np.sum(z[enough] ** 2))
    used_up = int(fit.free.sum()) * float(np.mean(enough)) if z.size else 0.0
    freedom = int(np.sum(enough)) - math.ceil(used_up)
    p = chi_square_tail(value=chi_square, freedom=freedom) if freedom > 0 else None
    cycles, triads = _cycles(cells.players, met, worst)
    cycle_p = None
    if triads:
        cycle_p = min(1.0, 2.0 * triads * normal_cdf(-cycles[0].z)) if cycles else 1.0
    order = np.argsort(-np.abs(z), kind="stable")[:worst]
    return Goodness(
        chi_square=chi_square,
        freedom=max(freedom, 0),
        p=p,
        worst=tuple(_residual(cells.players, met, int(row), float(z[row])) for row in order),
        cycles=cycles,
        cycle_p=cycle_p,
        describes=all(chance is None or chance >= DOUBT for chance in (p, cycle_p)),
    )


@dataclass(frozen=True)
class _Met:
    """Sums over all games of two players a < b, shape (M,) each."""

    a: IntArray
    b: IntArray
    games: FloatArray
    points: FloatArray
    residual: FloatArray
    variance: FloatArray
    information: FloatArray


def _by_players(cells: Cells, fit: Fit) -> _Met:
    moments, expected = cluster_moments(cells, ExpectedScore(), fit)
    family = ExpectedScore()
    games, points, residual, information = (np.zeros(cells.a.size) for _ in range(4))
    for z, results in zip(predictors(fit.theta, cells), cells.results(), strict=True):
        terms = family.terms(z, 0.0)
        games += results.sum(axis=1)
        points += results @ np.array([0.0, 0.5, 1.0])
        residual += np.sum(results * terms.slope, axis=1)
        information += np.sum(results * terms.bend, axis=1)
    size = len(cells.players)
    low, high = np.minimum(cells.a, cells.b), np.maximum(cells.a, cells.b)
    keys, place = np.unique(low * size + high, return_inverse=True)
    turned = np.where(cells.a < cells.b, 1.0, -1.0)

    def total(values: FloatArray) -> FloatArray:
        out = np.zeros(keys.size)
        np.add.at(out, place, values)
        return out

    return _Met(
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
    """Variance of a table's residual if the list is right, shape (T,).

    The expected one, until a table has many pairs: on few, a small residual would come with a small
    observed spread, and the squares of their ratio would be anything but a chi-square. How much a
    pair's two games cancel depends on how even they are, so the expected variance is fitted over
    all tables as v * (x + y v), with v the model's variance of one pair.
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


def _residual(players: tuple[str, ...], met: _Met, row: int, z: float) -> Residual:
    return Residual(
        a=players[int(met.a[row])],
        b=players[int(met.b[row])],
        games=float(met.games[row]),
        points=float(met.points[row]),
        expected=float(met.points[row] - met.residual[row]),
        elo=SCALE * float(met.residual[row] / met.information[row]),
        z=z,
    )


def _cycles(players: tuple[str, ...], met: _Met, worst: int) -> tuple[tuple[Cycle, ...], int]:
    """The strongest cycles of three and how many triads were looked at: O(players^3)."""
    size = len(players)
    gap, variance = np.zeros((size, size)), np.full((size, size), np.inf)
    away = met.residual / met.information
    gap[met.a, met.b], gap[met.b, met.a] = away, -away
    spread = np.where(met.variance >= ENOUGH, met.variance / met.information**2, np.inf)
    variance[met.a, met.b] = variance[met.b, met.a] = spread
    found: list[tuple[float, float, tuple[int, int, int]]] = []
    triads = 0
    for i in range(size - 2):
        rest = slice(i + 1, size)
        turn = gap[i, rest, None] + gap[rest, rest] - gap[i, None, rest]
        width = variance[i, rest, None] + variance[rest, rest] + variance[i, None, rest]
        z = np.triu(turn / np.sqrt(width), 1)
        triads += int(np.isfinite(np.triu(width, 1)[np.triu_indices(size - i - 1, 1)]).sum())
        flat = _largest(np.abs(z), worst)
        for j, k in zip(*np.unravel_index(flat, z.shape), strict=True):
            if z[j, k] != 0.0:
                members = (i, i + 1 + int(j), i + 1 + int(k))
                found.append((abs(float(z[j, k])), float(turn[j, k]), members))
    found.sort(key=lambda cycle: -cycle[0])
    named = []
    for strength, turn_sum, (i, j, k) in found[:worst]:
        order = (i, j, k) if turn_sum > 0 else (i, k, j)
        names = (players[order[0]], players[order[1]], players[order[2]])
        named.append(Cycle(players=names, elo=SCALE * math.fabs(turn_sum), z=strength))
    return tuple(named), triads


def _largest(values: FloatArray, number: int) -> IntArray:
    """Flat positions of the largest values."""
    flat = values.ravel()
    if flat.size <= number:
        return np.arange(flat.size)
    return np.argpartition(flat, flat.size - number)[-number:]
