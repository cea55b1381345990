"""A chart beside the table of what it draws: no number stands in a picture alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reports.html.tables import Cell, Table, columns, number

Spec = dict[str, Any]
"""Vega-Lite."""
Row = dict[str, Any]
"""One mark's values by field."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One picture of a page."""

    name: str
    """The name of the chart, whose element is ``chart-<name>``."""
    label: str
    """The content of the chart in words, for those who do not see it."""
    caption: str
    """Of the table."""
    table: Table
    spec: Spec | None = None
    """None: there is nothing to draw, and the page says so."""
    is_open: bool = False
    """Whether the table is seen without asking for it."""
    is_wide: bool = False
    """Whether the chart keeps its own width and scrolls sideways where that is too much."""


def specs_of(figures: Iterable[Figure]) -> dict[str, Spec]:
    """Return the charts of a page by name."""
    return {figure.name: figure.spec for figure in figures if figure.spec is not None}


def plain_table(names: Sequence[str], rows: Sequence[Row]) -> Table:
    """Return a table of rows as a chart has them; names that begin with ``#`` are numbers."""
    return Table(
        columns(*names),
        [
            [
                number(row[name[1:]], ",.1f" if isinstance(row[name[1:]], float) else ",d")
                if name.startswith("#")
                else Cell(str(row[name]))
                for name in names
            ]
            for row in rows
        ],
    )
