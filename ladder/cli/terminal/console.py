"""Consoles: the only place that makes one, so that all of them show text as it is."""

from collections.abc import Iterable
from typing import IO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ladder.visible import visible_lines

NO_WIDTH = 10_000
"""Characters of a line where no terminal sets an end: nothing is wrapped or left out."""


class PlainConsole(Console):
    """A console that knows no markup and no emoji codes, and lets no escape sequence of a text out.

    Colours and the control of the screen are styles and controls of Rich, never part of a text.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of something, their texts printable."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible_lines(text), style, control)


def plain_console(*, stderr: bool = False, file: IO[str] | None = None) -> PlainConsole:
    """A console for results, or with `stderr` for progress and logs.

    Args:
        stderr: write to standard error, whose lines are as wide as the terminal's or 80 characters.
        file: write there instead; None: to standard output.

    """
    console = _console(stderr=stderr, file=file, width=None)
    if stderr or console.file.isatty():
        return console
    return _console(stderr=stderr, file=file, width=NO_WIDTH)


def _console(*, stderr: bool, file: IO[str] | None, width: int | None) -> PlainConsole:
    return PlainConsole(
        stderr=stderr, file=file, width=width, markup=False, emoji=False, highlight=False
    )
