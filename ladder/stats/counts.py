"""Counts of results, the one input of every statistic here.

Two shapes, always from the lowest score to the highest, from one player's view:

    trinomial    (L, D, W)                    games
    pentanomial  (LL, LD, DD + WL, WD, WW)    pairs of games with colours swapped

Pairs are the unit to be counted: two games on one board are not independent, and the spread of the
sum over a pair is what the errors must be made from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ladder.errors import UsageError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

EMPTY_CELL = 1e-3
"""The count of a result that was never seen, in games or pairs, so that the spread of results
and every likelihood stay positive."""


@dataclass(frozen=True)
class Moments:
    """Mean and spread of the score of one unit (a game or a pair), as a score per game, 0..1."""

    units: float
    mean: float
    deviation: float


def checked(*, counts: ArrayLike) -> FloatArray:
    """The counts as an array of floats, shape (..., 3) or (..., 5).

    Raises UsageError when the last axis is neither 3 nor 5 long, or a count is negative or not
    finite.
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
    """1 for trinomial counts, 2 for pentanomial ones."""
    return 1 if np.shape(counts)[-1] == 3 else 2


def unit_scores(*, size: int) -> FloatArray:
    """The score per game of each cell, 0..1, lowest first: shape (size,)."""
    return np.linspace(0.0, 1.0, size)


def regularised(*, counts: ArrayLike) -> FloatArray:
    """The counts with `EMPTY_CELL` in place of every zero; same shape and errors as `checked`."""
    array = checked(counts=counts)
    return np.where(array == 0.0, EMPTY_CELL, array)


def moments(*, counts: ArrayLike) -> Moments:
    """Mean and deviation of one row of counts, empty cells regularised; errors as `checked`."""
    array = regularised(counts=counts)
    units = float(array.sum())
    scores = unit_scores(size=array.shape[-1])
    mean = float(array @ scores) / units
    variance = float(array @ (scores - mean) ** 2) / units
    return Moments(units=units, mean=mean, deviation=variance**0.5)


def pentanomial(*, table: Sequence[Sequence[float]] | FloatArray) -> FloatArray:
    """Pentanomial counts of one 3x3 table, or of any number of them: shape (..., 3, 3) -> (..., 5).

    `table[i][j]` counts pairs in which A moving first got result i (0 loss, 1 draw, 2 win) and
    A moving second got j.
    """
    cells = np.asarray(table, dtype=np.float64)
    out = np.zeros((*cells.shape[:-2], 5))
    for i in range(3):
        for j in range(3):
            out[..., i + j] += cells[..., i, j]
    return out
