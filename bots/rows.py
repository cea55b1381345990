"""A family's versions as a table of differences, and the catalogue's rows made of it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from bots.protocol import BudgetKind
from bots.version import Version


class Row(NamedTuple):
    """One version: what it is based on, the one change, and the values that make it."""

    name: str
    based_on: str | None
    change: str
    differences: dict[str, Any]
    """Fields of the family's settings, and ``player`` where the machinery changes."""


def compose(
    rows: tuple[Row, ...],
    *,
    family: str,
    players: Mapping[str, str],
    budgets: tuple[BudgetKind, ...],
) -> tuple[Version, ...]:
    """The catalogue's rows: each with everything that it inherits.

    Args:
        rows: the versions, each below the one it is based on.
        family: what they belong to.
        players: ``module:callable`` of the factories, by a row's `player`; ``""`` where it has
            none.
        budgets: what all of them take, in order of preference.

    """
    composed: dict[str, dict[str, Any]] = {}
    versions = []
    for row in rows:
        inherited = composed[row.based_on] if row.based_on is not None else {}
        options = {**inherited, **row.differences}
        composed[row.name] = options
        versions.append(
            Version(
                row.name,
                family,
                row.based_on,
                row.change,
                players[options.get("player", "")],
                budgets,
                {name: value for name, value in options.items() if name != "player"},
            )
        )
    return tuple(versions)
