"""Chances of the columns in a rollout without look-ahead, as tables: one look-up a stone."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.errors import SpecError

ROLLOUTS = ("random", "middle", "seven")


class DrawTables(NamedTuple):
    """For each set of playable columns, a mask below ``2 ** columns``, its draws."""

    totals: NDArray[np.uint64]
    """Shape (sets,): the sum of the set's weights."""
    columns: NDArray[np.uint16]
    """Shape (sets, largest total): for a number below the total, the column as a mask of one bit.

    With equal weights the k-th number stands for the k-th column in ascending order."""


def column_weights(rollout: str, columns: int) -> tuple[int, ...]:
    """The weights of the columns as small integers, in the ratios of the formula.

    ``middle``: 1 + the distance to the nearer edge; ``seven``: max(1, 7 - the distance to the
    centre line), which lies between two columns where their number is even.

    Raises:
        SpecError: there is no rollout of that name.

    """
    last = columns - 1
    if rollout == "random":
        return (1,) * columns
    if rollout == "middle":
        return tuple(1 + min(column, last - column) for column in range(columns))
    if rollout == "seven":
        doubled = [max(2, 14 - abs(2 * column - last)) for column in range(columns)]
        whole = 2 if all(weight % 2 == 0 for weight in doubled) else 1
        return tuple(weight // whole for weight in doubled)
    raise SpecError(f"option 'rollout' must be one of {', '.join(ROLLOUTS)}, got {rollout!r}")


@lru_cache(maxsize=8)
def draw_tables(rollout: str, columns: int) -> DrawTables:
    """The tables of a kind of rollout.

    Raises:
        SpecError: there is no rollout of that name.

    """
    weights = np.array(column_weights(rollout, columns))
    sets = np.arange(2**columns)
    # shape (sets, columns): the sum of the weights up to and with each column
    upper = np.cumsum((sets[:, None] >> np.arange(columns) & 1) * weights, axis=1)
    numbers = np.arange(weights.sum())
    drawn = (upper[:, :, None] <= numbers).sum(axis=1)
    return DrawTables(upper[:, -1].astype(np.uint64), (1 << drawn).astype(np.uint16))
