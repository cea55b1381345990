"""Which pairs to play next, so that the rating list's error falls fastest.

A pair of games between two players adds information along the difference of their ratings: much
when they are about equal, little when the result is known beforehand. What it would take off the
list's error follows from the covariance alone (Sherman and Morrison 1950), so that every candidate
is judged without a fit: the choice is A-optimal design (Fedorov 1972), taken greedily.

Early estimates must not be taken at their word. Whoever loses the first games by bad luck would
look hopeless, hardly be paired again and stay too low, while the stated errors look fine: in
simulation that made lists worse than random pairing. So two players count as equal as `CAUTION`
standard errors allow, and only known differences keep them apart.
"""

import numpy as np

from ladder.errors import UsageError
from ladder.stats.counts import FloatArray, IntArray
from ladder.stats.pool.cells import Cells
from ladder.stats.pool.families import ExpectedScore, logistic
from ladder.stats.pool.fitting import Setup, maximise
from ladder.stats.pool.rating import PRIOR

BATCH = 16
"""Pairs planned at once."""
CAUTION = 1.5
"""Standard errors by which a difference is taken to be smaller than estimated."""
FLOOR = 0.2
"""Share of pairs drawn at random, so that no player starves and no belief goes untested."""


def next_pairs(
    *,
    cells: Cells,
    seed: int,
    batch: int,
    size: int = BATCH,
    floor: float = FLOOR,
    difference: tuple[int, int] | None = None,
) -> tuple[tuple[int, int], ...]:
    """The next `size` pairs of players to play, as indices (a, b) with a < b.

    They reduce most the summed variance of all ratings against their mean, or the variance of one
    `difference` of two players. The plan depends on the finished counts in `cells`, `seed` and the
    number of the `batch` alone: the same three give the same pairs on every machine that computes
    the same floats. Players without games, and groups that have not met, are planned first by
    themselves, because they are the least certain.

    Raises UsageError with fewer than two players or a `floor` outside 0..1.
    """
    players = len(cells.players)
    if players < 2:
        raise UsageError("pairing needs at least two players")
    if not 0.0 <= floor <= 1.0:
        raise UsageError(f"the share of random pairs must be 0..1, got {floor:g}")
    rng = np.random.default_rng([seed, batch])
    lows, highs = np.triu_indices(players, 1)
    ratings, cover = _beliefs(cells)
    error = np.sqrt(cover[lows, lows] + cover[highs, highs] - 2.0 * cover[lows, highs])
    gap = np.abs(ratings[lows] - ratings[highs])
    gain = _information(np.maximum(gap - CAUTION * error, 0.0))
    planned = []
    for _ in range(size):
        # Both numbers are drawn every time, so that the floor does not shift the stream.
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


def _beliefs(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Ratings and their covariance about the mean, in natural units.

    The covariance is the model's own: unlike the clustered one it does not jump when a player has
    few games, and how much wider or narrower pairs really spread would scale all candidates alike.
    The prior makes it exist for players without games.
    """
    players = len(cells.players)
    setup = Setup(prior=PRIOR, anchors={}, advantage=None)
    fit = maximise(cells=cells, family=ExpectedScore(), setup=setup)
    centre = np.eye(players) - 1.0 / players
    return fit.theta[:players], np.asarray(centre @ fit.inverse[:players, :players] @ centre)


def _information(gap: FloatArray) -> FloatArray:
    """Fisher information of a pair of games about a difference, in natural units."""
    p = logistic(gap)
    return np.asarray(2.0 * p * (1.0 - p))


def _reductions(
    cover: FloatArray,
    lows: IntArray,
    highs: IntArray,
    gain: FloatArray,
    difference: tuple[int, int] | None,
) -> FloatArray:
    """By how much each pair of players would reduce the target's variance."""
    variance = cover[lows, lows] + cover[highs, highs] - 2.0 * cover[lows, highs]
    if difference is None:
        squares = cover @ cover
        moved = squares[lows, lows] + squares[highs, highs] - 2.0 * squares[lows, highs]
    else:
        target = cover[difference[0]] - cover[difference[1]]
        moved = (target[lows] - target[highs]) ** 2
    return np.asarray(gain * moved / (1.0 + gain * variance))
