"""Consoles of Rich, made only here, so that all of them print texts unchanged and safely."""

from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ladder.visible import visible_lines

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
    console = _console(stderr=stderr, file=file, width=None)
    if stderr or console.file.isatty():
        return console
    return _console(stderr=stderr, file=file, width=width)


def _console(*, stderr: bool, file: IO[str] | None, width: int | None) -> PlainConsole:
    return PlainConsole(
        stderr=stderr, file=file, width=width, markup=False, emoji=False, highlight=False
    )
