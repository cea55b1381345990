"""Probabilities of columns in rollouts without look-ahead, as tables with one look-up per stone."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class DrawTables(NamedTuple):
    """The draw tables of all sets of playable columns (masks below ``2 ** columns``)."""

    totals: NDArray[np.uint64]
    """Sum of each set's weights, shape (sets,)."""
    columns: NDArray[np.uint16]
    """Column, as a mask of one bit, for each number below the total: shape (sets, largest total).

    With equal weights, number k selects the k-th column in ascending order."""


def column_weights(rollout: str, columns: int) -> tuple[int, ...]:
    """Return the weights of the columns as small integers.

    ``middle``: 1 + the distance to the nearer edge. ``seven``: max(1, 7 - the distance to the
    centre line), which is between two columns if their number is even.
    """
    last = columns - 1
    if rollout == "random":
        return (1,) * columns
    if rollout == "middle":
        return tuple(1 + min(column, last - column) for column in range(columns))
    doubled = [max(2, 14 - abs(2 * column - last)) for column in range(columns)]
    whole = 2 if all(weight % 2 == 0 for weight in doubled) else 1
    return tuple(weight // whole for weight in doubled)


@lru_cache(maxsize=8)
def draw_tables(rollout: str, columns: int) -> DrawTables:
    """Return the tables of a kind of rollout."""
    weights = np.array(column_weights(rollout, columns))
    sets = np.arange(2**columns)
    # cumulative weights, shape (sets, columns)
    upper = np.cumsum((sets[:, None] >> np.arange(columns) & 1) * weights, axis=1)
    numbers = np.arange(weights.sum())
    drawn = (upper[:, :, None] <= numbers).sum(axis=1)
    return DrawTables(upper[:, -1].astype(np.uint64), (1 << drawn).astype(np.uint16))
