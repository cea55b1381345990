"""A report in all formats: tables with sentences around them, plain data, and CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.visible import visible
from reports.layout.format import markdown_text
from reports.layout.table import Column, blocks, fit, to_markdown


@dataclass(frozen=True, slots=True)
class Titled:
    """A table with its caption."""

    caption: str
    columns: Sequence[Column]
    is_split: bool = False
    """Whether columns that do not fit follow below, beside the first one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A report that gives no verdict."""

    document: Mapping[str, Any]
    """Plain data for JSON."""
    csv: str = ""
    notes: Sequence[str] = ()
    """Sentences before the tables."""
    headline: str = ""
    tables: Sequence[Titled] = ()
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
        parts.append(to_markdown(table.columns))
    return "\n\n".join([*parts, *map(markdown_text, (*made.notes, *made.remarks))]) + "\n"


def print_tables(console: Console, tables: Sequence[Titled]) -> None:
    """Print tables, and which columns a narrow terminal hides."""
    for table in tables:
        if table.caption:
            print_lines(console, ["", table.caption])
        split = blocks(table.columns, console.width) if table.is_split else [table.columns]
        for columns in split:
            fitted = fit(columns, console.width)
            console.print(fitted.table())
            if fitted.left_out:
                hidden = ", ".join(fitted.left_out)
                console.print(f"hidden, as the terminal is too narrow: {hidden}", style="dim")


def print_lines(console: Console, lines: Sequence[str]) -> None:
    """Print lines, which the terminal wraps."""
    for line in lines:
        console.print(Text(visible(line)), soft_wrap=True)
