"""The draw rate between equals, and ratings with a model of draws.

Ratings are on the scale of the expected score, where a draw is half a win. A model with draws has
its own scale; `convert_fit` finds the ratings on the usual scale that give the scores which the
model expects in the games played.
"""

from dataclasses import replace

import numpy as np

from ladder.stats.counts import FloatArray
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.clusters import covariance
from ladder.stats.pool.families import ExpectedScore, RaoKupper, logistic
from ladder.stats.pool.fitting import Fit, Setup, maximise, predictors, scatter, unpack

_PASSES = 8
_FAINT_PRIOR = 1e-6


def draw_rate_equal(*, cells: Cells, theta: FloatArray) -> float | None:
    """Return the maximum-likelihood share of draws between equals, 0..1; None without games.

    The share is assumed proportional to 4 p (1 - p) for expected score p, as in the models of Rao
    and Kupper (1967) and Davidson (1970) if draws are rare.
    """
    falls, drawn, total = [], [], []
    for z, games in zip(predictors(theta, cells), cells.results(), strict=True):
        p = logistic(z)
        falls.append(4.0 * p * (1.0 - p))
        drawn.append(games[:, 1])
        total.append(games.sum(axis=1))
    fall, draws, games_played = map(np.concatenate, (falls, drawn, total))
    if games_played.sum() == 0.0:
        return None
    if draws.sum() == 0.0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = 0.5 * (low + high)
        slope = np.sum(draws) / rate - np.sum(
            (games_played - draws) * fall / np.maximum(1.0 - rate * fall, 1e-12)
        )
        low, high = (rate, high) if slope > 0 else (low, rate)
    return float(0.5 * (low + high))


def rao_kupper(*, cells: Cells, setup: Setup) -> tuple[Fit, FloatArray, float]:
    """Fit Rao and Kupper's model (1967) and convert it to the expected-score scale.

    Returns ratings and advantages as a `Fit` of `ExpectedScore`, their clustered covariance
    (squared natural units, shape (P, P)), and the draw margin on the model's own scale (natural
    units). For the fit, anchors and a given advantage are scaled by the slope of the expected score
    between equals. Raises Unbounded like `maximise`.
    """
    family = RaoKupper()
    stretch = 1.0
    for _ in range(_PASSES):
        stretched = Setup(
            prior=setup.prior,
            anchors={player: stretch * rating for player, rating in setup.anchors.items()},
            advantage=None if setup.advantage is None else stretch * setup.advantage,
        )
        fit = maximise(cells=cells, family=family, setup=stretched)
        _, _, margin = unpack(fit.theta, cells)
        before, stretch = stretch, 1.0 / (1.0 - np.tanh(0.5 * margin) ** 2)
        if abs(stretch - before) < 1e-9 or (len(setup.anchors) < 2 and setup.advantage is None):
            break
    plain, spread = convert_fit(cells=cells, setup=setup, fit=fit)
    return plain, spread, margin


def convert_fit(*, cells: Cells, setup: Setup, fit: Fit) -> tuple[Fit, FloatArray]:
    """Convert a Rao-Kupper fit to ratings that give the same expected scores.

    The covariance is by the delta method.
    """
    family = RaoKupper()
    _, _, margin = unpack(fit.theta, cells)
    expected = [family.expected_score(z, margin) for z in predictors(fit.theta, cells)]
    games = [results.sum(axis=1) for results in cells.results()]
    soft = _soft_cells(cells, [score for score, _, _ in expected], games)
    faint = replace(setup, prior=min(setup.prior, _FAINT_PRIOR))
    plain = maximise(cells=soft, family=ExpectedScore(), setup=faint)
    size = fit.theta.size
    mixed = np.zeros((cells.a.size, 3, 3))
    for (_, in_z, in_margin), number, sign in zip(expected, games, (1.0, -1.0), strict=True):
        direction = np.array([1.0, sign])
        mixed[:, :2, :2] += (number * in_z)[:, None, None] * np.outer(direction, direction)
        mixed[:, :2, 2] += (number * in_margin)[:, None] * direction
    # Rows: equations of the converted parameters; columns: parameters of the full model.
    jacobian = plain.inverse @ scatter(cells, size, mixed)[:-1]
    full = covariance(cells, family, fit)
    return plain, np.asarray(jacobian @ full @ jacobian.T)


def _soft_cells(cells: Cells, scores: list[FloatArray], games: list[FloatArray]) -> Cells:
    """Return single-game tables with fractional losses and wins, A first, then B first."""
    first = np.stack([games[0] * (1 - scores[0]), 0 * games[0], games[0] * scores[0]], axis=1)
    second = np.stack([games[1] * scores[1], 0 * games[1], games[1] * (1 - scores[1])], axis=1)
    return replace(
        cells,
        a=np.concatenate([cells.a, cells.b]),
        b=np.concatenate([cells.b, cells.a]),
        board_class=np.concatenate([cells.board_class] * 2),
        counts=np.concatenate([first, second]),
        first=np.arange(3),
        second=None,
    )
