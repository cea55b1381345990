"""Tables on a terminal: the least important columns are left out until the rest fits."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from ladder.visible import visible
from reports.layout.format import markdown_text

GAP = 2
"""Spaces between two columns."""
NARROWEST = 6
"""Smallest width of a cut column of words, in characters."""
ALWAYS = 0
"""The level of a column that is never left out."""

Cell = str | Text
VERDICT_STYLES = {"gained": "green", "undecided": "yellow", "lost": "red"}
"""The styles of words on a terminal by the verdicts of cells on a page."""
STYLE_VERDICTS = {style: verdict for verdict, style in VERDICT_STYLES.items()}


def verdict_text(word: str, verdict: str) -> Text:
    """Return a word in the colour of a verdict: gained, undecided or lost."""
    return Text(word, style=VERDICT_STYLES[verdict])


@dataclass(frozen=True, slots=True)
class Column:
    """A column with a cell for every row."""

    head: str
    cells: Sequence[Cell]
    number: bool = True
    """Whether the cells are numbers: aligned right and never cut, unlike words."""
    level: int = ALWAYS
    """Columns of the highest level are left out first, all of them together."""

    def __post_init__(self) -> None:
        """Escape unprintable characters in every cell."""
        object.__setattr__(self, "cells", tuple(map(_plain, self.cells)))

    @property
    def width(self) -> int:
        """The width of the widest cell or the head, in characters."""
        return max(cell_len(str(cell)) for cell in (self.head, *self.cells))


@dataclass(frozen=True, slots=True)
class Fitted:
    """The columns that fit."""

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    """The width of each column, in characters."""
    left_out: tuple[str, ...]
    """The heads of the columns that do not fit."""

    def table(self) -> Table:
        """Return the table of these columns."""
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
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


def fit(columns: Sequence[Column], width: int | None) -> Fitted:
    """Return the columns that fit into a width in characters; all columns if it is None.

    Columns of the highest level are left out, then those of the next level, and so on;
    at last the widest columns of words are cut.
    """
    fitting = list(columns)
    while width is not None and _total([column.width for column in fitting]) > width:
        level = max(column.level for column in fitting)
        if level == ALWAYS:
            break
        fitting = [column for column in fitting if column.level != level]
    shown = {column.head for column in fitting}
    return Fitted(
        columns=tuple(fitting),
        widths=tuple(_widths(fitting, width)),
        left_out=tuple(column.head for column in columns if column.head not in shown),
    )


def _plain(cell: Cell) -> Text:
    if isinstance(cell, str):
        return Text(visible(cell))
    return cell if cell.plain.isprintable() else Text(visible(cell.plain), style=cell.style)


def blocks(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Split columns into blocks that fit into a width; each block begins with the first column."""
    first, *others = columns
    found = [[first]]
    for column in others:
        block = found[-1]
        if len(block) > 1 and _total([one.width for one in (*block, column)]) > width:
            found.append([first])
        found[-1].append(column)
    return found


def to_markdown(columns: Sequence[Column]) -> str:
    """Return all columns as a Markdown table."""
    rows = zip(*([str(cell) for cell in column.cells] for column in columns), strict=True)
    lines = ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]
    head = "| " + " | ".join(markdown_text(column.head) for column in columns) + " |"
    return "\n".join([head, "|" + "---|" * len(columns), *lines])


def _widths(columns: Sequence[Column], width: int | None) -> list[int]:
    """Return the width of each column; the widest columns of words are cut until all fit."""
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
