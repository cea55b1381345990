"""Bootstrap replicates of a rating list: resample each table's pairs, fit again, all at once.

A pair of games is drawn whole, so the replicates carry the dependence inside pairs (Efron 1979, by
clusters). Every table keeps its number of pairs, and only the counts of its outcomes are drawn, so
a replicate costs O(tables) however many games there are.
"""

from dataclasses import dataclass, replace

import numpy as np

from ladder.ratings.cells import (
    Cells,
    require_connected,
)
from ladder.ratings.counts import FloatArray, IntArray
from ladder.ratings.elo import SCALE
from ladder.ratings.families import ExpectedScore, logistic
from ladder.ratings.fitting import Fit, Setup, maximise
from ladder.ratings.pool import Options, natural_setup

_STEPS = 12
_ARRIVED = 1e-7
_CHUNK_NUMBERS = 2_000_000
_TOGETHER = 2_000_000
"""Largest table-by-parameter-by-parameter array for steps taken together."""


@dataclass(frozen=True)
class Replicates:
    """Ratings of resampled pools."""

    elo: FloatArray
    """Relative to the mean (or anchors) of the replicate, shape (replicates, players)."""
    advantage: FloatArray
    """First-mover advantage in Elo, shape (replicates, classes)."""

    def interval95(self) -> FloatArray:
        """The 2.5 % and 97.5 % quantiles in Elo, shape (2, players)."""
        return np.asarray(np.quantile(self.elo, [0.025, 0.975], axis=0))


def bootstrap(
    *, cells: Cells, rng: np.random.Generator, number: int, options: Options | None = None
) -> Replicates:
    """`number` replicates of the list that `pool.rate` makes with draws as half.

    All replicates of a small pool (up to some 40 players) take their Newton steps together, from
    the list itself; the few that have not arrived after `_STEPS`, and those of large pools, are
    fitted one by one. Errors as `pool.rate`.
    """
    options = options or Options()
    setup = natural_setup(cells, options)
    require_connected(cells=cells)
    fit = maximise(cells=cells, family=ExpectedScore(), setup=setup)
    chunk = max(1, _CHUNK_NUMBERS // max(1, cells.counts.size))
    parts = [
        _refit(cells, setup, fit, rng, min(chunk, number - start))
        for start in range(0, number, chunk)
    ]
    theta = np.concatenate(parts) if parts else np.zeros((0, fit.theta.size))
    players = len(cells.players)
    elo = SCALE * theta[:, :players]
    if not setup.anchors and players:
        elo -= elo.mean(axis=1, keepdims=True)
    return Replicates(elo=elo + options.mean, advantage=SCALE * theta[:, players:])


def _refit(
    cells: Cells, setup: Setup, fit: Fit, rng: np.random.Generator, number: int
) -> FloatArray:
    """Parameters of `number` replicates, shape (number, P)."""
    totals = np.rint(cells.clusters).astype(np.int64)
    shares = cells.counts / cells.counts.sum(axis=1, keepdims=True)
    drawn = rng.multinomial(totals, shares, size=(number, totals.size)).astype(np.float64)
    theta = np.tile(fit.theta, (number, 1))
    late = np.arange(number)
    if cells.a.size * fit.theta.size**2 <= _TOGETHER and fit.free.any():
        late = _step_together(cells, setup, fit, drawn, theta)
    for row in late:
        again = replace(cells, counts=drawn[row])
        theta[row] = maximise(cells=again, family=ExpectedScore(), setup=setup).theta
    return theta


def _step_together(
    cells: Cells, setup: Setup, fit: Fit, drawn: FloatArray, theta: FloatArray
) -> IntArray:
    """Newton steps on all rows of `theta` in place; returns the rows that have not arrived."""
    players, size, free = len(cells.players), fit.theta.size, fit.free
    rows = np.arange(cells.a.size)
    strength = np.zeros((rows.size, size))
    strength[rows, cells.a], strength[rows, cells.b] = 1.0, -1.0
    edge = np.zeros((rows.size, size))
    edge[rows, players + cells.board_class] = 1.0
    points = np.array([0.0, 0.5, 1.0])
    games = cells.clusters
    sides = [(strength + edge, drawn @ points[cells.first])]
    if cells.second is not None:
        sides.append((strength - edge, drawn @ points[cells.second]))
    squares = [(x[:, free, None] * x[:, None, free]).reshape(rows.size, -1) for x, _ in sides]
    inside = int(free.sum())
    moved = np.full(theta.shape[0], np.inf)
    for _ in range(_STEPS):
        gradient = np.zeros_like(theta)
        hessian = np.zeros((theta.shape[0], inside * inside))
        for (x, scored), square in zip(sides, squares, strict=True):
            p = logistic(theta @ x.T)
            gradient += (scored - games * p) @ x
            hessian += (games * p * (1.0 - p)) @ square
        blocks = hessian.reshape(-1, inside, inside)
        prior_gradient, prior_hessian = _priors(theta, players, setup.prior)
        blocks += prior_hessian[:, free][:, :, free]
        try:
            step = np.linalg.solve(blocks, (gradient + prior_gradient)[:, free, None])[..., 0]
        except np.linalg.LinAlgError:
            return np.arange(theta.shape[0])
        theta[:, free] += np.clip(step, -2.0, 2.0)
        moved = np.abs(step).max(axis=1)
        if float(moved.max(initial=0.0)) < _ARRIVED:
            break
    return np.flatnonzero(~(moved < _ARRIVED))


def _priors(theta: FloatArray, players: int, draws: float) -> tuple[FloatArray, FloatArray]:
    """`fitting.prior_terms` for many rows: gradients (R, P) and negative Hessians (R, P, P)."""
    rows, size = theta.shape
    u = theta.copy()
    u[:, :players] -= theta[:, :players].mean(axis=1, keepdims=True)
    p = logistic(u)
    slope, bend = draws * (0.5 - p), draws * p * (1.0 - p)
    hessian = np.zeros((rows, size, size))
    hessian[:, np.arange(size), np.arange(size)] = bend
    among = bend[:, :players]
    hessian[:, :players, :players] -= (among[:, :, None] + among[:, None, :]) / players
    hessian[:, :players, :players] += among.sum(axis=1)[:, None, None] / players**2
    slope[:, :players] -= slope[:, :players].mean(axis=1, keepdims=True)
    return slope, hessian
