"""A report in all formats, and consoles of Rich, which all print texts unchanged and safely."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from ladder.visible import visible, visible_lines
from reports.layout.fields import Table
from reports.layout.format import markdown_text
from reports.layout.terminal import fit


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
