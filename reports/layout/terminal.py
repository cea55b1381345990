"""Reports on a terminal: the least important columns are left out until the rest fits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from ladder.visible import visible, visible_lines
from reports.layout.fields import (
    ALWAYS,
    FAINT,
    GAINED,
    LAST,
    LOST,
    NOTHING,
    STRONG,
    UNDECIDED,
    Cell,
    Medium,
    Table,
)
from reports.layout.format import markdown_text

GAP = 2
"""Spaces between two columns."""
NARROWEST = 6
"""Smallest width of a cut column of words, in characters."""
STYLES = {
    GAINED: "green",
    UNDECIDED: "yellow",
    LOST: "red",
    STRONG: "bold",
    FAINT: "dim",
}
"""The styles of verdicts and emphases."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table with its cells, measured."""

    head: str
    cells: Sequence[Text]
    is_number: bool
    """Whether it is aligned right and never cut, unlike words."""
    level: int
    width: int
    """The width of the widest cell or the head, in characters."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The columns of a table that fit."""

    columns: Sequence[_Column]
    widths: Sequence[int]
    """The width of each column, in characters."""
    left_out: Sequence[str]
    """The heads of the columns that do not fit."""

    def grid(self) -> RichTable:
        """Return these columns as Rich prints them."""
        grid = RichTable(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
        for column, width in zip(self.columns, self.widths, strict=True):
            grid.add_column(
                Text(column.head),
                justify="right" if column.is_number else "left",
                width=width,
                no_wrap=True,
                overflow="ellipsis",
            )
        for row in zip(*(column.cells for column in self.columns), strict=True):
            grid.add_row(*row)
        return grid


def fit(table: Table, width: int | None) -> list[Fitted]:
    """Return the columns that fit into a width in characters; all columns if it is None.

    Columns of the highest level are left out, then those of the next level, and so on;
    at last the widest columns of words are cut. A split table gives a part for each block of
    columns that fit beside the first one.
    """
    columns = _columns(table)
    if not table.is_split or width is None:
        return [_fit(columns, width)]
    return [_fit(block, width) for block in _blocks(columns, width)]


def _columns(table: Table) -> list[_Column]:
    fields = table.on(Medium.TEXT)
    columns = zip(*table.cells(Medium.TEXT), strict=True) if table.rows else ((),) * len(fields)
    found = []
    for field, cells in zip(fields, columns, strict=True):
        head, texts = field.head or "", [_text(cell) for cell in cells]
        is_empty = bool(cells) and all(cell.text == NOTHING for cell in cells)
        width = max(cell_len(text) for text in (head, *(each.plain for each in texts)))
        level = LAST if is_empty else field.level
        found.append(_Column(head, texts, bool(field.form), level, width))
    return found


def _text(cell: Cell) -> Text:
    """Return a cell in its style, with unprintable characters escaped."""
    styles = [STYLES[word] for word in (cell.emphasis, cell.verdict) if word]
    return Text(visible(cell.text), style=" ".join(styles))


def _fit(columns: Sequence[_Column], width: int | None) -> Fitted:
    fitting = list(columns)
    while width is not None and _total([column.width for column in fitting]) > width:
        level = max(column.level for column in fitting)
        if level == ALWAYS:
            break
        fitting = [column for column in fitting if column.level != level]
    shown = {column.head for column in fitting}
    return Fitted(
        columns=fitting,
        widths=_widths(fitting, width),
        left_out=[column.head for column in columns if column.head not in shown],
    )


def _blocks(columns: Sequence[_Column], width: int) -> list[list[_Column]]:
    """Split columns into blocks that fit into a width; each block begins with the first column."""
    first, *others = columns
    found = [[first]]
    for column in others:
        block = found[-1]
        if len(block) > 1 and _total([one.width for one in (*block, column)]) > width:
            found.append([first])
        found[-1].append(column)
    return found


def _widths(columns: Sequence[_Column], width: int | None) -> list[int]:
    """Return the width of each column; the widest columns of words are cut until all fit."""
    widths = [column.width for column in columns]
    words = [place for place, column in enumerate(columns) if not column.is_number]
    while width is not None and words and _total(widths) > width:
        widest = max(words, key=lambda place: widths[place])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A report that gives no verdict."""

    document: Mapping[str, Any]
    """Plain data for JSON."""
    csv: str = ""
    notes: Sequence[str] = ()
    """Sentences before the tables."""
    headline: str = ""
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    """Sentences after the tables."""


def print_listing(console: Console, made: Listing) -> None:
    """Print a report, with tables as wide as the console."""
    print_lines(console, made.notes)
    if made.headline:
        console.print(Text(visible(made.headline), style="bold"))
    print_tables(console, made.tables)
    print_lines(console, made.remarks)


def listing_markdown(made: Listing) -> str:
    """Return a report as Markdown."""
    parts = [markdown_text(made.headline)] if made.headline else []
    for table in made.tables:
        parts += [f"### {table.caption}"] if table.caption else []
        parts.append(table.markdown())
    return "\n\n".join([*parts, *map(markdown_text, (*made.notes, *made.remarks))]) + "\n"


def print_tables(console: Console, tables: Sequence[Table]) -> None:
    """Print tables, and which columns a narrow terminal hides."""
    for table in tables:
        if table.caption:
            print_lines(console, ["", table.caption])
        for fitted in fit(table, console.width):
            console.print(fitted.grid())
            if fitted.left_out:
                hidden = ", ".join(fitted.left_out)
                console.print(f"hidden, as the terminal is too narrow: {hidden}", style="dim")


def print_lines(console: Console, lines: Sequence[str]) -> None:
    """Print lines, which the terminal wraps."""
    for line in lines:
        console.print(Text(visible(line)), soft_wrap=True)


NO_WIDTH = 10_000
"""Characters of a line outside a terminal, where nothing is wrapped or left out."""


class PlainConsole(Console):
    """A console without markup and emoji codes that prints no escape sequence of a text.

    Colours and screen control are styles and controls of Rich, never part of a text.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of an object, with printable texts."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible_lines(text), style, control)


def plain_console(
    *, stderr: bool = False, file: IO[str] | None = None, width: int = NO_WIDTH
) -> PlainConsole:
    """Return a console for results, or with `stderr` for progress and logs.

    Args:
        stderr: write to standard error, in lines as wide as the terminal or 80 characters.
        file: write to this file instead; None for standard output.
        width: width of lines of results outside a terminal, in characters.

    """
    console = PlainConsole(stderr=stderr, file=file, markup=False, emoji=False, highlight=False)
    if not (stderr or console.file.isatty()):
        console.width = width
    return console
