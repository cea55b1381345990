"""Charts, each with a table of its numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reports.html.tables import Cell, Table, headings, number

Spec = dict[str, Any]
"""A Vega-Lite specification."""
Row = dict[str, Any]
"""The values of one mark, by field."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and its table."""

    name: str
    """The name of the chart; its element has the id ``chart-NAME``."""
    label: str
    """A description of the chart for screen readers."""
    caption: str
    """The heading, and the caption of the table."""
    table: Table | None
    """None if another table has the numbers."""
    spec: Spec | None = None
    """The chart; None if there are no data."""
    is_open: bool = False
    """Whether the table is shown without a click."""
    is_wide: bool = False
    """Whether the chart keeps its own width and can be scrolled."""


def specs_of(figures: Iterable[Figure]) -> dict[str, Spec]:
    """Return the charts of figures by name."""
    return {figure.name: figure.spec for figure in figures if figure.spec is not None}


def table_of_rows(names: Sequence[str], rows: Sequence[Row]) -> Table:
    """Return a table of a chart's rows; fields named with ``#`` in front are numbers."""
    return Table(
        headings(*names),
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
