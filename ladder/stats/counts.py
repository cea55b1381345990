"""Counts of results, the input of all statistics here.

They have two shapes, for one player, from the lowest score to the highest:

    trinomial    (L, D, W)                    games
    pentanomial  (LL, LD, DD + WL, WD, WW)    pairs of games with colours swapped

The unit is the pair: two games on one board are not independent, so errors must come from the
spread of the points of a pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ladder.errors import UsageError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

EMPTY_CELL = 1e-3
"""Count that replaces 0, in games or pairs, so that the spread of results and all likelihoods are
positive."""


@dataclass(frozen=True)
class ScoreMoments:
    """Mean and standard deviation of a unit's (game's or pair's) score per game, 0..1."""

    units: float
    mean: float
    deviation: float


def check_counts(*, counts: ArrayLike) -> FloatArray:
    """Convert counts to an array of floats, shape (..., 3) or (..., 5).

    Raises:
        UsageError: the last axis is neither 3 nor 5 long, or a count is negative or not finite.

    """
    array = np.asarray(counts, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] not in (3, 5):
        raise UsageError(
            "counts are 3 numbers (losses, draws, wins) or 5 (LL, LD, DD and WL, WD, WW)"
        )
    if not np.all(np.isfinite(array)) or np.any(array < 0):
        raise UsageError("counts must be finite numbers, none below 0")
    return array


def games_per_unit(*, counts: ArrayLike) -> int:
    """Return 1 for trinomial counts, 2 for pentanomial counts."""
    return 1 if np.shape(counts)[-1] == 3 else 2


def unit_scores(*, size: int) -> FloatArray:
    """Return the score per game of each outcome, 0..1, in ascending order, shape (size,)."""
    return np.linspace(0.0, 1.0, size)


def regularise_counts(*, counts: ArrayLike) -> FloatArray:
    """Replace zeros by `EMPTY_CELL`; shapes and errors are those of `check_counts`."""
    array = check_counts(counts=counts)
    return np.where(array == 0.0, EMPTY_CELL, array)


def moments(*, counts: ArrayLike) -> ScoreMoments:
    """Return mean and deviation of a row of regularised counts; errors as `check_counts`."""
    array = regularise_counts(counts=counts)
    units = float(array.sum())
    scores = unit_scores(size=array.shape[-1])
    mean = float(array @ scores) / units
    variance = float(array @ (scores - mean) ** 2) / units
    return ScoreMoments(units=units, mean=mean, deviation=variance**0.5)


def pentanomial(*, table: Sequence[Sequence[float]] | FloatArray) -> FloatArray:
    """Convert 3x3 tables to pentanomial counts: shape (..., 3, 3) -> (..., 5).

    `table[i][j]` is the number of pairs in which A got result i (0 loss, 1 draw, 2 win) moving
    first and j moving second.
    """
    cells = np.asarray(table, dtype=np.float64)
    out = np.zeros((*cells.shape[:-2], 5))
    for i in range(3):
        for j in range(3):
            out[..., i + j] += cells[..., i, j]
    return out
