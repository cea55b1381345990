"""Tables on a terminal: columns are left out by importance until the rest fits, numbers whole."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ladder.visible import visible
from reports.layout.format import markdown_table

GAP = 2
"""Blanks between two columns."""
NARROWEST = 6
"""Characters that a column of words keeps when it is cut."""
ALWAYS = 0
"""The level of a column that is never left out."""

Cell = str | Text


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, with a cell for every row."""

    head: str
    cells: Sequence[Cell]
    number: bool = True
    """Numbers stand on the right and are never cut; words stand on the left and can be."""
    level: int = ALWAYS
    """When the table is too wide, columns of the greatest level go first, all of them at once."""
    short: Sequence[Cell] | None = None
    """Cells that take the place of the others instead of leaving the column out."""

    def __post_init__(self) -> None:
        """Make every cell one line of printable characters."""
        object.__setattr__(self, "cells", tuple(map(_plain, self.cells)))
        if self.short is not None:
            object.__setattr__(self, "short", tuple(map(_plain, self.short)))

    @property
    def width(self) -> int:
        """Characters of the widest cell, the head included."""
        return max(cell_len(str(cell)) for cell in (self.head, *self.cells))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The columns that there is room for."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    """Characters of each column."""
    left_out: tuple[str, ...]
    """Heads of the columns that there is no room for, in their order."""

    def table(self, *, header: bool = True) -> Table:
        """The table, as wide as its columns and no wider than it was fitted to."""
        table = plain_table(header=header)
        for column, width in zip(self.columns, self.widths, strict=True):
            table.add_column(
                Text(column.head),
                justify="right" if column.number else "left",
                width=width,
                no_wrap=True,
                overflow="ellipsis",
            )
        for row in zip(*(column.cells for column in self.columns), strict=True):
            table.add_row(*row)
        return table


def plain_table(*, gap: int = GAP, header: bool = True, header_style: str = "bold") -> Table:
    """An empty table without lines, with so many blanks between its columns."""
    return Table(
        box=None,
        pad_edge=False,
        padding=(0, gap, 0, 0),
        show_header=header,
        header_style=header_style,
    )


def fit(columns: Sequence[Column], width: int | None) -> Fitted:
    """The columns that fit into so many characters; None: all of them.

    The columns of the greatest level are left out, or become shorter where they can, then those of
    the level below; at last the widest columns of words are cut.
    """
    kept = list(columns)
    while width is not None and _total([column.width for column in kept]) > width:
        level = max(column.level for column in kept)
        if level == ALWAYS:
            break
        kept = [
            _shortened(column) if column.level == level else column
            for column in kept
            if column.level != level or column.short is not None
        ]
    shown = {column.head for column in kept}
    return Fitted(
        columns=tuple(kept),
        widths=tuple(_widths(kept, width)),
        left_out=tuple(column.head for column in columns if column.head not in shown),
    )


def _plain(cell: Cell) -> Text:
    if isinstance(cell, str):
        return Text(visible(cell))
    return cell if cell.plain.isprintable() else Text(visible(cell.plain), style=cell.style)


def blocks(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """The columns in blocks that fit into so many characters, the first column in each of them."""
    first, *others = columns
    found = [[first]]
    for column in others:
        block = found[-1]
        if len(block) > 1 and _total([one.width for one in (*block, column)]) > width:
            found.append([first])
        found[-1].append(column)
    return found


def to_markdown(columns: Sequence[Column]) -> str:
    """All columns as a Markdown table."""
    rows = zip(*([str(cell) for cell in column.cells] for column in columns), strict=True)
    return markdown_table([column.head for column in columns], rows)


def _shortened(column: Column) -> Column:
    return replace(column, cells=column.short or (), short=None, level=ALWAYS)


def _widths(columns: Sequence[Column], width: int | None) -> list[int]:
    """The width of each column; words are cut where the whole is still too wide."""
    widths = [column.width for column in columns]
    words = [place for place, column in enumerate(columns) if not column.number]
    while width is not None and words and _total(widths) > width:
        widest = max(words, key=lambda place: widths[place])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)
