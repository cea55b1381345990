"""Work while it goes on: a picture on a terminal, log lines everywhere else.

`reports.run` and `reports.train` say what there is to see, as a `View`; the two displays of this
file show any of them.
"""

import os
import time
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from rich.console import Console, Group, RenderableType
from rich.control import Control
from rich.progress_bar import ProgressBar
from rich.segment import ControlType, Segment, Segments
from rich.table import Table
from rich.text import Text

LOG_EVERY_S = 5.0
REDRAW_EVERY_S = 0.25
BAR = 60
"""Characters of a progress bar, where there is room."""
WARNINGS_SHOWN = 3
"""The last warnings, which stand in the picture; all of them are printed at the end."""

State = TypeVar("State")
StateIn = TypeVar("StateIn", contravariant=True)


class View(Protocol[StateIn]):
    """The view of some work, made of its state."""

    def title(self, state: StateIn) -> Sequence[str]:
        """Lines for the start: what is done, and how to do it again."""

    def status(self, state: StateIn) -> str:
        """How far it has come, in a line."""

    def log(self, state: StateIn) -> str:
        """The status with the most important of the picture, for a log."""

    def ending(self, state: StateIn) -> Sequence[str]:
        """Lines for the end: the final status, and all that should be known of the work."""

    def picture(self, state: StateIn, width: int, height: int) -> RenderableType:
        """All there is to see beside title and status, in so many characters and lines."""


class LogLines(Generic[State]):
    """One line every few seconds: for pipes, files and terminals that cannot redraw."""

    def __init__(self, console: Console, view: View[State]) -> None:
        self._console = console
        self._view = view
        self._last = 0.0

    def started(self, state: State) -> None:
        """Print the title; the first status follows some seconds later."""
        self._last = time.monotonic()
        for line in self._view.title(state):
            self._say(line)

    def pair_finished(self, state: State, record: object) -> None:
        """Print nothing: the next line will count it."""

    def tick(self, state: State) -> None:
        """Print a line when the last one is some seconds old."""
        now = time.monotonic()
        if now - self._last >= LOG_EVERY_S:
            self._last = now
            self._say(self._view.log(state))

    def notified(self, state: State, sentence: str) -> None:
        """Print the sentence at once."""
        self._say(sentence)

    def warned(self, state: State, sentence: str) -> None:
        """Print the warning at once."""
        self._say(f"warning: {sentence}")

    def ended(self, state: State) -> None:
        """Print the final status, and what should be known."""
        for line in self._view.ending(state):
            self._say(line)

    def _say(self, line: str) -> None:
        say(self._console, line)


class LivePicture(Generic[State]):
    """Title, news, last warnings, status and picture on a screen of their own, drawn anew in place.

    When the work ends the terminal is as it was before, with title, all news and warnings, the
    final status and what should be known as lines.
    """

    def __init__(self, console: Console, view: View[State]) -> None:
        self._console = console
        self._view = view
        self._last = 0.0
        self._screen = OtherScreen(console)
        self._warnings: list[str] = []
        self._told: list[str] = []

    def started(self, state: State) -> None:
        """Begin to draw."""
        self._screen.open()
        self._draw(state)

    def pair_finished(self, state: State, record: object) -> None:
        """Draw nothing: the next tick will show it."""

    def tick(self, state: State) -> None:
        """Draw anew, at most four times a second."""
        if time.monotonic() - self._last >= REDRAW_EVERY_S:
            self._draw(state)

    def notified(self, state: State, sentence: str) -> None:
        """Show the sentence in the picture until the next one, and keep it for the end."""
        self._told.append(sentence)
        self._draw(state)

    def warned(self, state: State, sentence: str) -> None:
        """Show the warning in the picture and keep it for the end."""
        self._warnings.append(f"warning: {sentence}")
        self._draw(state)

    def ended(self, state: State) -> None:
        """Leave lines in the place of the picture: title, news, warnings, the final status."""
        self._screen.close()
        for line in self._view.title(state):
            say(self._console, line)
        for sentence in self._told:
            say(self._console, sentence)
        for sentence in self._warnings:
            say(self._console, sentence, style="yellow")
        for line in self._view.ending(state):
            say(self._console, line)

    def _draw(self, state: State) -> None:
        self._last = time.monotonic()
        width, height = self._screen.size()
        above: list[RenderableType] = [Text(line) for line in self._view.title(state)]
        above += [Text(line) for line in self._told[-1:]]
        earlier = len(self._warnings) - WARNINGS_SHOWN
        if earlier > 0:
            above.append(Text(f"{earlier} earlier warnings, shown at the end", style="yellow"))
        above += [Text(line, style="yellow") for line in self._warnings[-WARNINGS_SHOWN:]]
        above.append(Text(self._view.status(state), style="bold"))
        room = height - len(self._screen.lines(Group(*above)))
        self._screen.draw(Group(*above, self._view.picture(state, width, max(0, room))))


class OtherScreen:
    """The terminal's alternate screen, which has no memory of lines that were pushed out.

    On the main screen a resize would break the lines of the last picture anew, push some out and
    bring them back later, differently on every terminal; here every picture is drawn whole from
    the top. On a terminal without such a screen the lines before it are pushed into its memory.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._open = False

    def size(self) -> tuple[int, int]:
        """The characters of a line, and the lines that a picture may have."""
        # The console would believe COLUMNS and LINES, which a resize does not change.
        try:
            width, height = os.get_terminal_size(self._console.file.fileno())
        except (OSError, ValueError):
            width = height = 0
        return width or self._console.width, max(1, (height or self._console.height) - 1)

    def lines(self, picture: RenderableType) -> list[list[Segment]]:
        """A picture as lines of the terminal."""
        options = self._console.options.update(width=self.size()[0])
        return self._console.render_lines(picture, options, pad=False)

    def open(self) -> None:
        """Begin to draw."""
        self._open = True
        self._console.control(Control(ControlType.ENABLE_ALT_SCREEN))
        self._console.print("\n" * self.size()[1])

    def draw(self, picture: RenderableType) -> None:
        """Put a picture in the place of the former one; lines for which there is no room are cut.

        The cursor stands below it, where a shell would go on.
        """
        height = self.size()[1]
        lines = self.lines(picture)[:height]
        erased = Control((ControlType.ERASE_IN_LINE, 2)).segment
        with self._console:  # one write
            self._console.control(Control(ControlType.HOME))
            for line in lines + [[]] * (height - len(lines)):
                row = Segments([erased, *line, Segment.line()])
                self._console.print(row, end="", crop=False)
            self._console.control(
                Control((ControlType.ERASE_IN_LINE, 2)), Control.move_to(0, len(lines))
            )

    def close(self) -> None:
        """Give the terminal back as it was."""
        if self._open:
            self._open = False
            self.draw("")
            self._console.control(Control(ControlType.DISABLE_ALT_SCREEN))


def display_for(console: Console, view: View[State]) -> "LivePicture[State] | LogLines[State]":
    """A picture where the console is a terminal that can redraw, else log lines.

    Colours have nothing to do with it: without them the picture has none.
    """
    if console.file.isatty() and console.is_terminal and not console.is_dumb_terminal:
        return LivePicture(console, view)
    return LogLines(console, view)


def progress_bar(done: int, of: int, width: int) -> RenderableType:
    """A bar of one line."""
    row = Table.grid()  # a bar alone ends without a line break
    row.add_row(ProgressBar(max(of, 1), done, width=min(BAR, width)))
    return row


def say(console: Console, line: str, style: str | None = None) -> None:
    """Print a line as it is, however long."""
    console.print(line, style=style, soft_wrap=True)
