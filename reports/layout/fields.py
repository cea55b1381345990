"""The columns of a table, each described once for the terminal, Markdown, CSV, JSON and pages.

To add a column to a table, add an entry to its list of fields.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from reports.layout.format import csv_text, day, iso_time, moment, number, rounded
from reports.layout.table import STYLE_VERDICTS, Column

NOTHING = "."
"""The text of an empty count."""
LAST = 10
"""The level of columns that are left out first, such as those with `NOTHING` in every cell."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell of a page."""

    text: str
    sort: float | None = None
    """The sort key; None to sort by the text."""
    title: str = ""
    """The tooltip."""
    href: str = ""
    verdict: str = ""
    """gained, undecided or lost: the cell's colour and sign."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column in all formats.

    Functions of a cell take the record of the row and the view of the table, such as its links.
    """

    key: str = ""
    """The key in JSON, and the attribute of the record; empty for a column of tables only."""
    head: str | None = None
    """The head of the column in tables; None if tables do not show it."""
    page: str | None = None
    """The head on a page, if it is another."""
    only: str = ""
    """``terminal`` (and Markdown) or ``page`` if only these tables show it."""
    value: Callable[[Any], Any] | None = None
    """The value in JSON, if it is not the attribute."""
    digits: int | None = None
    """Decimal digits of a number in JSON and CSV."""
    csv: Sequence[str] | None = None
    """The heads in CSV; None for the key."""
    form: str = ""
    """The format of a number in tables, which is aligned right; empty for words."""
    text: Callable[[Any, Any], str | Text] | None = None
    """The cell of tables, if it is not the formatted value."""
    cell: Callable[[Any, Any], Cell] | None = None
    """The cell on a page, if it is another."""
    link: Callable[[Any, Any], str] = lambda *_: ""
    """The address to which the cell of a page leads."""
    is_prose: bool = False
    """Whether a page wraps it."""
    level: int = 0
    """See `Column.level`."""
    shown: Callable[[Sequence[Any], Any], bool] = lambda *_: True
    """Returns whether the table of some rows and a view shows the column."""

    @property
    def page_head(self) -> str | None:
        """The head on a page; None if pages do not show it."""
        head = self.head if self.page is None else self.page
        return None if self.only == "terminal" else head

    def plain(self, row: Any) -> Any:
        """Return the value in JSON."""
        value = self._value(row)
        return value if self.digits is None else rounded(value, self.digits)

    def terminal_cell(self, row: Any, view: Any) -> str | Text:
        """Return the cell on a terminal and in Markdown."""
        if self.text is not None:
            return self.text(row, view)
        value = self._value(row)
        return number(value, self.form) if self.form else str(value)

    def page_cell(self, row: Any, view: Any) -> Cell:
        """Return the cell on a page."""
        if self.cell is not None:
            return self.cell(row, view)
        text = self.terminal_cell(row, view)
        style = text.style if isinstance(text, Text) else ""
        return Cell(
            str(text),
            self._value(row) if self.form else None,
            href=self.link(row, view),
            verdict=STYLE_VERDICTS.get(str(style), ""),
        )

    def _value(self, row: Any) -> Any:
        if self.value is not None and row is not None:
            return self.value(row)
        return getattr(row, self.key) if self.key and row is not None else None


def moment_field(head: str, seconds: Callable[[Any], float], level: int, *, key: str = "") -> Field:
    """Return a column of dates: local time on a terminal, UTC on a page and in JSON."""
    return Field(
        key,
        head,
        value=lambda row: iso_time(seconds(row)),
        text=lambda row, _: moment(seconds(row)),
        cell=lambda row, _: Cell(day(seconds(row)), seconds(row)),
        level=level,
    )


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
        if field.head is None or field.only == "page" or not field.shown(rows, view):
            continue
        texts = [field.terminal_cell(row, view) for row in rows]
        is_empty = bool(rows) and all(text == NOTHING for text in texts)
        level = LAST if is_empty else field.level
        found.append(Column(field.head, texts, bool(field.form), level))
    return found
