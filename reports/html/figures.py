"""Tables of a page, as the template's macro draws them, and charts, each with its table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from reports.html.charts import Spec
from reports.layout.fields import Cell, Field
from reports.layout.table import STYLE_VERDICTS, Column


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column; columns of numbers are aligned right, only prose is wrapped."""

    name: str
    number: bool = False
    prose: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with a cell for each heading."""

    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and its table."""

    name: str
    """The name of the chart; its element has the id ``chart-NAME``."""
    label: str
    """A description of the chart for screen readers."""
    caption: str
    """The heading, and the caption of the table."""
    table: Table | None = None
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


def table_of_fields(fields: Sequence[Field], rows: Sequence[Any], view: Any = None) -> Table:
    """Return the table of records on a page; a view has what their cells need, such as links."""
    shown = [field for field in fields if field.page_head is not None and field.shown(rows, view)]
    heads = [Heading(each.page_head or "", bool(each.form), each.is_prose) for each in shown]
    return Table(heads, [[field.page_cell(row, view) for field in shown] for row in rows])


def table_from_columns(columns: Sequence[Column]) -> Table:
    """Return the table of a terminal as one of a page; numbers sort by value."""
    cells = [[_column_cell(cell, column.number) for cell in column.cells] for column in columns]
    return Table(
        [Heading(column.head, column.number) for column in columns], [*zip(*cells, strict=True)]
    )


def _column_cell(cell: str | Text, is_number: bool) -> Cell:
    verdict = STYLE_VERDICTS.get(str(cell.style), "") if isinstance(cell, Text) else ""
    return Cell(str(cell), _value(str(cell)) if is_number else None, verdict=verdict)


def _value(text: str) -> float | None:
    """Return the number in a cell; None if the cell has none."""
    try:
        return float(text.rstrip("%").replace(",", ""))
    except ValueError:
        return None
