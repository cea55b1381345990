"""Maximum-likelihood fit of a pool by Newton's method with the exact Hessian.

The model of one game is the logistic expected score, with a draw as half a win (Elo 1978; without
draws Zermelo 1929, Bradley and Terry 1952). It is a quasi-likelihood (McCullagh and Nelder 1989):
only the mean is modelled, and the spread is that of the results.

Everything is in natural units (Elo / 173.7). The vector of parameters has the players, then a
first-mover advantage per board class, then the draw margin if the model has one. The likelihood of
a table depends only on its two linear predictors

    A moving first:  z1 = r_a - r_b + f        A moving second:  z2 = r_a - r_b - f

so a step costs O(tables) and the solution of a linear system in the number of players.
"""

from dataclasses import dataclass

import numpy as np

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray, IntArray, unit_scores
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.separation import require_bounded

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

_ROUNDS = 200
_CONVERGED = 1e-7
_ROUNDING = 1e-16
_LONGEST_STEP = 8.0
"""Longest step in natural units, because full steps diverge where the likelihood is flat."""
_POINTS = unit_scores(size=3)


@dataclass(frozen=True)
class Terms:
    """The log-likelihood l(z) of each outcome (loss, draw, win), shape (T, 3)."""

    value: FloatArray
    slope: FloatArray
    """dl/dz."""
    bend: FloatArray
    """-d2l/dz2."""


def logistic(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)) without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


def terms(z: FloatArray) -> Terms:
    """Return the log-likelihood and its derivatives by outcome."""
    z = z[:, None]
    p = logistic(z)
    value = -_POINTS * np.logaddexp(0.0, -z) - (1.0 - _POINTS) * np.logaddexp(0.0, z)
    return Terms(value, _POINTS - p, np.broadcast_to(p * (1.0 - p), value.shape))


@dataclass(frozen=True)
class Setup:
    """Prior and fixed parameters of a fit, in natural units."""

    prior: float
    """Virtual draws of every player against the pool's mean, and for every class's advantage."""
    anchors: dict[int, float]
    """Fixed ratings by player."""
    advantage: float | None
    """A fixed first-mover advantage, or None to fit it."""


@dataclass(frozen=True)
class Fit:
    """The maximum of the likelihood and its curvature."""

    theta: FloatArray
    """All parameters, shape (P,); without anchors the last player is at 0."""
    free: BoolArray
    """Mask of the fitted parameters, shape (P,)."""
    inverse: FloatArray
    """Inverse Hessian of the negative log-likelihood, 0 for parameters not fitted, shape (P, P)."""


def unpack(theta: FloatArray, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Split the vector of parameters into ratings and advantages."""
    players = len(cells.players)
    return theta[:players], theta[players:]


def predictors(theta: FloatArray, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Return z1 and z2 of every table, shape (T,) each."""
    ratings, advantages = unpack(theta, cells)
    gap = ratings[cells.a] - ratings[cells.b]
    edge = advantages[cells.board_class]
    return gap + edge, gap - edge


def scatter(cells: Cells, size: int, moments: FloatArray) -> FloatArray:
    """Sum the tables' second moments into a matrix over parameters: (T, 2, 2) -> (size, size).

    The two directions of a table are its players (+A, -B) and its board class.
    """
    players = len(cells.players)
    where: list[tuple[IntArray, int, int]] = [
        (cells.a, 0, 1),
        (cells.b, 0, -1),
        (players + cells.board_class, 1, 1),
    ]
    out = np.zeros((size, size))
    for row, i, sign in where:
        for column, j, other in where:
            np.add.at(out, (row, column), sign * other * moments[:, i, j])
    return out


def maximise(*, cells: Cells, setup: Setup) -> Fit:
    """Fit all parameters.

    Raises:
        Unbounded: the likelihood has no finite maximum.
        UsageError: the maximum is too far away to be computed.

    """
    players, classes = len(cells.players), len(cells.classes)
    size = players + classes
    theta = np.zeros(size)
    free = np.ones(size, dtype=bool)
    for player, rating in setup.anchors.items():
        theta[player] = rating
        free[player] = False
    if not setup.anchors and players:
        free[players - 1] = False
    else:
        theta[:players][free[:players]] = np.mean(list(setup.anchors.values()) or [0.0])
    if setup.advantage is not None:
        theta[players : players + classes] = setup.advantage
        free[players : players + classes] = False
    unseen = np.setdiff1d(np.arange(classes), cells.board_class)
    free[players + unseen] = False
    if setup.prior == 0.0:
        edges = np.flatnonzero(free[players:])
        require_bounded(cells, np.array([*setup.anchors], dtype=np.int64), edges)
    theta, hessian = _climb(cells, setup, theta, free)
    inverse = np.zeros((size, size))
    if free.any():
        inverse[np.ix_(free, free)] = np.linalg.inv(hessian[np.ix_(free, free)])
    return Fit(theta=theta, free=free, inverse=inverse)


def _climb(
    cells: Cells, setup: Setup, theta: FloatArray, free: BoolArray
) -> tuple[FloatArray, FloatArray]:
    value, gradient, hessian = _evaluate(cells, setup, theta)
    for _ in range(_ROUNDS):
        block = hessian[np.ix_(free, free)]
        step = np.zeros_like(theta)
        try:
            step[free] = np.linalg.solve(block, gradient[free])
        except np.linalg.LinAlgError:
            break
        decrement = float(step @ gradient)
        longest = float(np.abs(step).max(initial=0.0))
        if not np.isfinite(decrement):
            break
        if decrement < _ROUNDING * (1.0 + abs(value)) or longest < _CONVERGED:
            return theta + step, hessian  # convergence is quadratic: no further step is needed
        length = min(1.0, _LONGEST_STEP / longest)
        while length > 1e-9:
            trial = theta + length * step
            reached = _evaluate(cells, setup, trial)
            if reached[0] >= value + 1e-4 * length * decrement - 1e-12 * abs(value):
                break
            length *= 0.5
        else:
            return theta, hessian  # rounding allows no improvement
        theta, (value, gradient, hessian) = trial, reached
    raise UsageError("the ratings lie too far apart to be computed: choose a larger prior")


def _evaluate(
    cells: Cells, setup: Setup, theta: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Return the penalised log-likelihood, its gradient and its negative Hessian."""
    players, classes = len(cells.players), len(cells.classes)
    _, advantages = unpack(theta, cells)
    value = 0.0
    pulls = np.zeros((cells.a.size, 2))
    moments = np.zeros((cells.a.size, 2, 2))
    for z, games, sign in zip(predictors(theta, cells), cells.results(), (1.0, -1.0), strict=True):
        term = terms(z)
        value += float(np.sum(games * term.value))
        direction = np.array([1.0, sign])
        slope, bend = np.sum(games * term.slope, axis=1), np.sum(games * term.bend, axis=1)
        pulls += slope[:, None] * direction
        moments += bend[:, None, None] * np.outer(direction, direction)
    gradient = np.zeros_like(theta)
    np.add.at(gradient, cells.a, pulls[:, 0])
    np.add.at(gradient, cells.b, -pulls[:, 0])
    np.add.at(gradient, players + cells.board_class, pulls[:, 1])
    hessian = scatter(cells, theta.size, moments)
    value += prior_terms(theta[:players], setup.prior, gradient, hessian, centred=True)
    edge = slice(players, players + classes)
    edge_gradient, edge_hessian = gradient[edge], hessian[edge, edge]
    value += prior_terms(advantages, setup.prior, edge_gradient, edge_hessian, centred=False)
    return value, gradient, hessian


def prior_terms(
    x: FloatArray, draws: float, gradient: FloatArray, hessian: FloatArray, *, centred: bool
) -> float:
    """Add virtual draws against the mean of `x` (or 0) to the leading parts of both arrays."""
    size = x.size
    if size == 0 or draws == 0.0:
        return 0.0
    u = x - x.mean() if centred else x
    p = logistic(u)
    slope, bend = draws * (0.5 - p), draws * p * (1.0 - p)
    matrix = np.diag(bend)
    if centred:
        slope = slope - slope.mean()
        matrix -= (bend[:, None] + bend) / size - bend.sum() / size**2
    gradient[:size] += slope
    hessian[:size, :size] += matrix
    return float(-0.5 * draws * np.sum(np.logaddexp(0.0, u) + np.logaddexp(0.0, -u)))
