"""The columns of a table, each described once for the terminal, Markdown, CSV, JSON and pages.

To add a column to a table, add an entry to its list of fields.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from reports.layout import cells
from reports.layout.cells import Cell
from reports.layout.format import csv_text, number, rounded
from reports.layout.table import Column

NOTHING = "."
"""The text of an empty count."""
LAST = 10
"""The level of columns that are left out first, such as those with `NOTHING` in every cell."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column in all formats; a format without a head does not show it.

    Functions of a cell take the record of the row and the view of the table, such as its links.
    """

    key: str = ""
    """The key in JSON, and the attribute of the record; empty for a column of tables only."""
    value: Callable[[Any], Any] | None = None
    """The value in JSON, if it is not the attribute."""
    digits: int | None = None
    """Decimal digits of a number in JSON and CSV."""
    csv: Sequence[str] | None = None
    """The heads in CSV; None for the key."""
    head: str | None = None
    """The head on a terminal and in Markdown."""
    page: str | None = None
    """The head on a page."""
    form: str = "d"
    """The format of a number on a terminal, in Markdown and on a page."""
    text: Callable[[Any, Any], str | Text] | None = None
    """The cell on a terminal and in Markdown, if it is not the formatted attribute."""
    cell: Callable[[Any, Any], Cell] | None = None
    """The cell on a page, if it is not the formatted attribute."""
    short: Callable[[Any], str] | None = None
    """The cell on a narrow terminal."""
    is_number: bool = True
    """Whether the column is aligned right on a terminal and in Markdown."""
    is_page_number: bool | None = None
    """Whether it is aligned right on a page; None if as on a terminal."""
    is_prose: bool = False
    """Whether a page wraps it."""
    level: int = 0
    """See `Column.level`."""
    shown: Callable[[Any], bool] = lambda _: True
    """Returns whether tables of a view show the column."""

    def plain(self, row: Any) -> Any:
        """Return the value in JSON."""
        value = getattr(row, self.key) if self.value is None else self.value(row)
        return value if self.digits is None else rounded(value, self.digits)

    def terminal_cell(self, row: Any, view: Any) -> str | Text:
        """Return the cell on a terminal and in Markdown."""
        if self.text is not None:
            return self.text(row, view)
        value = getattr(row, self.key)
        return number(value, self.form) if self.is_number else str(value)

    def page_cell(self, row: Any, view: Any) -> Cell:
        """Return the cell on a page."""
        if self.cell is not None:
            return self.cell(row, view)
        value = getattr(row, self.key)
        if not self.is_number:
            return Cell(str(value))
        return cells.number(value, ",d" if self.form == "d" else self.form)


def plain_values(fields: Sequence[Field], row: Any) -> dict[str, Any]:
    """Return a row as plain data."""
    return {field.key: field.plain(row) for field in fields if field.key}


def csv_of(fields: Sequence[Field], rows: Sequence[dict[str, Any]]) -> str:
    """Return rows of plain data as comma-separated values; a cell without a value is empty."""
    heads = [
        head
        for field in fields
        if field.key
        for head in ((field.key,) if field.csv is None else field.csv)
    ]
    return csv_text(heads, ([row[head] for head in heads] for row in rows))


def columns_of(fields: Sequence[Field], rows: Sequence[Any], view: Any = None) -> list[Column]:
    """Return the columns on a terminal and in Markdown."""
    found = []
    for field in fields:
        if field.head is None or not field.shown(view):
            continue
        texts = [field.terminal_cell(row, view) for row in rows]
        is_empty = bool(rows) and all(text == NOTHING for text in texts)
        short = None if field.short is None or is_empty else [*map(field.short, rows)]
        level = LAST if is_empty else field.level
        found.append(Column(field.head, texts, field.is_number, level, short))
    return found
