"""The choice of the next pairs that reduce the rating list's errors most.

A pair of games adds information about the difference of two players' ratings: much if they are
about equal, little if the result is foreseeable. The reduction of the list's errors follows from
the covariance (Sherman and Morrison 1950), so candidates are compared without fits: this is
A-optimal design (Fedorov 1972) by greedy choice.

Early estimates are unreliable. A player that loses its first games by bad luck would hardly be
paired again and stay rated too low, with errors that look small: in simulations such lists were
worse than those of random pairing. Therefore the difference of two players is taken to be smaller
by `CAUTION` standard errors.
"""

import numpy as np

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray, IntArray
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.fitting import Setup, logistic, maximise
from ladder.stats.pool.rating import PRIOR

BATCH = 16
"""Number of pairs planned at once."""
CAUTION = 1.5
"""Number of standard errors by which a difference is taken to be smaller."""
FLOOR = 0.2
"""Share of random pairs, so that every player is paired and every estimate is tested."""


def next_pairs(
    *,
    cells: Cells,
    seed: int,
    batch: int,
    size: int = BATCH,
    floor: float = FLOOR,
    difference: tuple[int, int] | None = None,
) -> tuple[tuple[int, int], ...]:
    """Choose the next `size` pairs of players, as indices (a, b) with a < b.

    They minimise the sum of the variances of all ratings, or the variance of the `difference` of
    two players. The plan depends only on `cells`, `seed` and the number of the `batch`, so machines
    with the same floating-point results plan the same pairs. Players without games and unconnected
    groups come first, because they are the least certain.

    Raises:
        UsageError: there are fewer than two players, or `floor` is outside 0..1.

    """
    players = len(cells.players)
    if players < 2:
        raise UsageError("pairing needs at least two players")
    if not 0.0 <= floor <= 1.0:
        raise UsageError(f"the share of random pairs must be 0..1, got {floor:g}")
    rng = np.random.default_rng([seed, batch])
    lows, highs = np.triu_indices(players, 1)
    ratings, cover = _estimate_ratings(cells)
    error = np.sqrt(cover[lows, lows] + cover[highs, highs] - 2.0 * cover[lows, highs])
    gap = np.abs(ratings[lows] - ratings[highs])
    gain = _information(np.maximum(gap - CAUTION * error, 0.0))
    planned = []
    for _ in range(size):
        # Both numbers are always drawn, so that the floor does not change the random stream.
        lot, anyone = rng.random(), int(rng.integers(lows.size))
        chosen = anyone
        if lot >= floor:
            chosen = int(np.argmax(_reductions(cover, lows, highs, gain, difference).round(12)))
        a, b = int(lows[chosen]), int(highs[chosen])
        planned.append((a, b))
        along = cover[:, a] - cover[:, b]
        cover = cover - np.outer(along, along) * (
            gain[chosen] / (1.0 + gain[chosen] * (along[a] - along[b]))
        )
    return tuple(planned)


def _estimate_ratings(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Return the ratings and their covariance about the mean, in natural units.

    The covariance is the model's: it is smoother for players with few games than the clustered one,
    whose scale would affect all candidates alike. Because of the prior it also exists for players
    without games.
    """
    players = len(cells.players)
    setup = Setup(prior=PRIOR, anchors={}, advantage=None)
    fit = maximise(cells=cells, setup=setup)
    centre = np.eye(players) - 1.0 / players
    return fit.theta[:players], np.asarray(centre @ fit.inverse[:players, :players] @ centre)


def _information(gap: FloatArray) -> FloatArray:
    """Return the Fisher information of a pair of games about a difference, in natural units."""
    p = logistic(gap)
    return np.asarray(2.0 * p * (1.0 - p))


def _reductions(
    cover: FloatArray,
    lows: IntArray,
    highs: IntArray,
    gain: FloatArray,
    difference: tuple[int, int] | None,
) -> FloatArray:
    """Return the reduction of the target's variance by each pair of players."""
    variance = cover[lows, lows] + cover[highs, highs] - 2.0 * cover[lows, highs]
    if difference is None:
        squares = cover @ cover
        moved = squares[lows, lows] + squares[highs, highs] - 2.0 * squares[lows, highs]
    else:
        target = cover[difference[0]] - cover[difference[1]]
        moved = (target[lows] - target[highs]) ** 2
    return np.asarray(gain * moved / (1.0 + gain * variance))
