"""The table of every output: fields, rows and a view, for terminal, Markdown, CSV, JSON and pages.

To add a column to a table, add an entry to its list of fields. `reports.layout.terminal` fits
tables into a width, and the macro ``table`` of the templates draws them on a page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from functools import partial, reduce
from operator import or_
from typing import Any

from reports.layout.format import (
    csv_text,
    day,
    in_words,
    iso_time,
    markdown_text,
    moment,
    number,
    rounded,
)

NOTHING = "."
"""The text of an empty count."""
ALWAYS, LAST = 0, 10
"""The levels of columns that are never left out, and of those that are left out first."""
GAINED, UNDECIDED, LOST = "gained", "undecided", "lost"
"""The verdicts of cells, findings and charts."""
VERDICTS: Mapping[str, str] = {
    **dict.fromkeys(
        ("pass", "chosen", "found", "no drop", "nothing new", "stronger", "good"), GAINED
    ),
    **dict.fromkeys(("regression", "no gain", "drop", "invalid", "weaker", "bad", "failed"), LOST),
}
"""The verdicts by the words for them; other words are undecided, or no verdict."""
STRONG, FAINT = "strong", "faint"
"""Emphasis of a text on a terminal that is no verdict."""


class Medium(Flag):
    """Where a field is shown."""

    TEXT = auto()
    """Tables on a terminal and in Markdown."""
    PAGE = auto()
    JSON = auto()
    CSV = auto()
    TABLES = TEXT | PAGE
    DATA = JSON | CSV


@dataclass(frozen=True, slots=True)
class Cell:
    """What a row shows in one column."""

    text: str
    value: Any = None
    """The sort key on a page; None to sort by the text."""
    verdict: str = ""
    """gained, undecided or lost: the cell's colour, and its sign on a page."""
    link: str = ""
    """The address to which the cell of a page leads."""
    emphasis: str = ""


def _nothing(*_: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Field:
    """A column in all formats.

    Functions of a cell take the record of the row and the view of the table, such as its links.
    """

    key: str = ""
    """The key in JSON and CSV, and the attribute of the record; empty for tables only."""
    head: str | None = None
    """The head of the column in tables; None if tables do not show it."""
    page: str | None = None
    """The head on a page, if it is another."""
    chosen_by: str = ""
    """The key in JSON that chooses the field, if it is not its own."""
    only: Medium = Medium.TABLES | Medium.DATA
    """Where it is shown, if not wherever it has a key or a head."""
    value: Callable[[Any], Any] | None = None
    """The value, if it is not the attribute."""
    digits: int | None = None
    """Decimal digits of a number in JSON and CSV."""
    form: str = ""
    """The format of a number in tables, which is aligned right; empty for words."""
    text: Callable[[Any, Any], str] | None = None
    """The text in tables, if it is not the formatted value."""
    page_text: Callable[[Any, Any], str] | None = None
    """The text on a page, if it is another."""
    sort: Callable[[Any], Any] | None = None
    """The sort key on a page, if it is not the value of a number."""
    verdict: Callable[[Any, Any], str] = _nothing
    link: Callable[[Any, Any], str] = _nothing
    emphasis: Callable[[Any, Any], str] = _nothing
    is_prose: bool = False
    """Whether a page wraps it."""
    level: int = ALWAYS
    """On a terminal that is too narrow, columns of the highest level are left out first, all of
    them together."""
    shown: Callable[[Sequence[Any], Any], bool] = lambda *_: True
    """Returns whether the table of some rows and a view shows the column."""

    def is_on(self, medium: Medium) -> bool:
        """Return whether the field is shown there."""
        named = bool(self.key) if medium in Medium.DATA else self.head_on(medium) is not None
        return named and medium in self.only

    def head_on(self, medium: Medium) -> str | None:
        """Return the head of the column in a table."""
        return self.page if medium is Medium.PAGE and self.page is not None else self.head

    def plain(self, row: Any) -> Any:
        """Return the value in JSON and CSV."""
        value = self._value(row)
        return value if self.digits is None else rounded(value, self.digits)

    def cell(self, row: Any, view: Any = None, medium: Medium = Medium.TEXT) -> Cell:
        """Return the cell in a table."""
        write = self.text
        if medium is Medium.PAGE and self.page_text is not None:
            write = self.page_text
        value = self._value(row) if self.form or write is None else None
        if write is not None:
            text = write(row, view)
        else:
            text = number(value, self.form) if self.form else str(value)
        sort = value if self.form else None
        return Cell(
            text,
            sort if self.sort is None else self.sort(row),
            verdict=self.verdict(row, view),
            link=self.link(row, view),
            emphasis=self.emphasis(row, view),
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
        page_text=lambda row, _: day(seconds(row)),
        sort=seconds,
        level=level,
    )


@dataclass(frozen=True, slots=True)
class Table:
    """Records under fields."""

    fields: Sequence[Field]
    rows: Sequence[Any]
    view: Any = None
    """What the functions of the fields get besides the record of a row."""
    caption: str = ""
    is_split: bool = False
    """Whether columns that do not fit on a terminal follow below, beside the first one."""

    def on(self, medium: Medium) -> list[Field]:
        """Return the fields that are shown there."""
        return [
            field
            for field in self.fields
            if field.is_on(medium) and field.shown(self.rows, self.view)
        ]

    def cells(self, medium: Medium) -> list[list[Cell]]:
        """Return the cells of every row."""
        fields = self.on(medium)
        return [[field.cell(row, self.view, medium) for field in fields] for row in self.rows]

    def documents(self) -> list[dict[str, Any]]:
        """Return the rows as plain data for JSON."""
        return [plain_values(self.fields, row) for row in self.rows]

    def csv(self) -> str:
        """Return the rows as comma-separated values; a cell without a value is empty."""
        fields = [field for field in self.fields if field.is_on(Medium.CSV)]
        heads = [field.key for field in fields]
        return csv_text(heads, ([field.plain(row) for field in fields] for row in self.rows))

    def markdown(self) -> str:
        """Return the table as Markdown, with all of its columns."""
        heads = [field.head or "" for field in self.on(Medium.TEXT)]
        texts = [[cell.text for cell in row] for row in self.cells(Medium.TEXT)]
        head, *lines = (
            "| " + " | ".join(map(markdown_text, row)) + " |" for row in (heads, *texts)
        )
        return "\n".join([head, "|" + "---|" * len(heads), *lines])


def plain_values(fields: Sequence[Field], row: Any) -> dict[str, Any]:
    """Return a row as plain data for JSON."""
    return {field.key: field.plain(row) for field in fields if field.is_on(Medium.JSON)}


def choose_fields(fields: Sequence[Field], keys: Sequence[str]) -> list[Field]:
    """Return the fields of some keys of JSON, in the order of the keys, for every format.

    In a format without a field of its own for a key, the value in JSON is shown below the key. On a
    terminal that is too narrow the last ones are left out first.
    """
    chosen: list[Field] = []
    for key in keys:
        own = [each for each in fields if key in (each.key, each.chosen_by)]
        lacking = [one for one in Medium if not any(each.is_on(one) for each in own)]
        if lacking:
            (whole,) = (each for each in own if each.key == key and each.is_on(Medium.JSON))
            only, head = reduce(or_, lacking), whole.head or key
            text = whole.text or (None if whole.form else partial(_value_text, whole))
            own.append(replace(whole, head=head, only=only, text=text))
        chosen += own
    return [replace(each, level=place) for place, each in enumerate(chosen)]


def _value_text(field: Field, row: Any, _: object) -> str:
    return in_words(field.plain(row))


def table_by_row(
    fields: Sequence[Field], names: Sequence[str], records: Sequence[Any], caption: str
) -> Table:
    """Return a table with a line for each field, and a column for each record.

    A record that is None has dashes.
    """

    def text(record: Any, medium: Medium) -> Callable[[Field, Any], str]:
        return lambda field, _: "-" if record is None else field.cell(record, None, medium).text

    def column(name: str, record: Any) -> Field:
        return Field(
            head=name,
            form="d",
            text=text(record, Medium.TEXT),
            page_text=text(record, Medium.PAGE),
            sort=lambda field: None if record is None else field.cell(record).value,
        )

    heads = Field(
        head="",
        text=lambda field, _: field.head or "",
        page_text=lambda field, _: field.head_on(Medium.PAGE) or "",
    )
    columns = [column(name, record) for name, record in zip(names, records, strict=True)]
    return Table((heads, *columns), fields, caption=caption, is_split=True)
