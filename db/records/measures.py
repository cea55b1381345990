"""What a rating list measures of each bot, by the pairs of a division or of a run.

To add a measured column, add an entry to `MEASURES`, and a field of its key to the columns of
`reports.report.rating_columns`.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func


class Sum(NamedTuple):
    """A number of one bot, summed over pairs."""

    sql: Callable[[Any, str], ColumnElement[Any]]
    """Returns the aggregate from the columns of finished pairs (`db.models.Pair`) and the bot's
    side, a or b. Only columns of the index ``ix_pairs_counts`` are read without their rows."""
    fold: Callable[[int, int], int] = add
    """Joins two such numbers."""


class Measure(NamedTuple):
    """A column of a rating list that needs a query."""

    key: str
    """Its key in JSON."""
    sums: tuple[Sum, ...]
    value: Callable[..., float | None]
    """Returns the value from these sums over all pairs of the bot."""
    missing: str
    """Why the value is None."""


Sums = Mapping[Sum, int]


def total(name: str) -> Sum:
    """Return the sum of a column of both sides, such as ``moves``."""
    return Sum(lambda pair, side: func.sum(pair[f"{side}_{name}"]))


MOVES, TIME = total("moves"), total("time_us")
SIMULATIONS, SEARCHED = total("simulations"), total("searched_us")
LONGEST = Sum(lambda pair, side: func.max(pair[f"{side}_max_us"]), max)
NO_MOVE = "the bot has made no move"

MEASURES = (
    Measure(
        "simulations_per_second",
        (SIMULATIONS, SEARCHED),
        lambda count, time_us: count / time_us * 1e6 if count and time_us else None,
        "the bot reports no simulations or nodes",
    ),
    Measure(
        "mean_move_ms",
        (TIME, MOVES),
        lambda time_us, moves: time_us / moves / 1000 if moves else None,
        NO_MOVE,
    ),
    Measure(
        "max_move_ms",
        (LONGEST, MOVES),
        lambda max_us, moves: max_us / 1000 if moves else None,
        NO_MOVE,
    ),
)
"""The measured columns."""
SUMS = tuple(dict.fromkeys(each for measure in MEASURES for each in measure.sums))
"""What is read of every pair, once for all measures."""


def measured(parts: Iterable[Sums]) -> dict[str, float | None]:
    """Return a bot's measures by key, from its sums against each opponent."""
    listed = list(parts)
    sums = {one: reduce(one.fold, (part.get(one, 0) for part in listed), 0) for one in SUMS}
    return {each.key: each.value(*(sums[one] for one in each.sums)) for each in MEASURES}
