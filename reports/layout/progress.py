"""Progress of long work: a picture on a terminal, log lines everywhere else.

`reports.run` and `reports.train` define a `View`; `LivePicture` and `LogLines`
show any view.
"""

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Generic, TypeVar

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.region import Region
from rich.table import Table
from rich.text import Text

LOG_EVERY_S = 5.0
STILL_EVERY_S = 60.0
"""Seconds after which a line is printed although nothing has changed, or only the time left."""
_TIME_LEFT = re.compile(r"[\d:]+ left")
PATIENCE_S = 20.0
"""Seconds in which work that is never long has done something."""
REDRAW_EVERY_S = 0.25
BAR = 60
"""Longest progress bar, in characters."""
WARNINGS_SHOWN = 3
"""Number of warnings in the picture; all of them are printed at the end."""

State = TypeVar("State")


class View(ABC, Generic[State]):
    """How to show the state of some work."""

    @abstractmethod
    def title(self, state: State) -> Sequence[str]:
        """Return the lines printed at the start, with what is needed to repeat the work."""

    @abstractmethod
    def status(self, state: State) -> str:
        """Return the progress in a line."""

    @abstractmethod
    def done(self, state: State) -> tuple[int, int]:
        """Return how much is done of how much, for a progress bar; of 0 if that is unknown."""

    def log(self, state: State) -> str:
        """Return a log line: the status and the most important part of the picture."""
        return self.status(state)

    def ending(self, state: State) -> Sequence[str]:
        """Return the lines printed at the end, with the final status."""
        return [self.status(state)]

    def picture(self, state: State, width: int, height: int) -> RenderableType:
        """Return the picture below title and status, cut to a width and height in characters."""
        return self.bar(state, width)

    def bar(self, state: State, width: int) -> RenderableType:
        """Return the progress bar on a line of its own."""
        row = Table.grid()  # without it the bar would not end its line
        done, of = self.done(state)
        row.add_row(ProgressBar(max(of, 1), min(done, of), width=min(BAR, width)))
        return row


class LogLines(Generic[State]):
    """A line every few seconds, for pipes, files and terminals that cannot redraw."""

    def __init__(
        self,
        console: Console,
        view: View[State],
        every_s: float = LOG_EVERY_S,
        still_s: float = STILL_EVERY_S,
    ) -> None:
        self._console = console
        self._view = view
        self._every_s = every_s
        self._still_s = still_s
        self._last = 0.0
        self._printed = ""

    def started(self, state: State) -> None:
        """Print the title; the first log line follows some seconds later."""
        self._last = time.monotonic()
        for line in self._view.title(state):
            say(self._console, line)

    def pair_finished(self, state: State, record: object) -> None:
        """Do nothing: the next log line counts the pair."""

    def tick(self, state: State) -> None:
        """Print a log line after some seconds if more than the time left has changed.

        After a minute print one in any case.
        """
        waited_s = time.monotonic() - self._last
        if waited_s < self._every_s:
            return
        line = self._view.log(state)
        is_new = _TIME_LEFT.sub("", line) != _TIME_LEFT.sub("", self._printed)
        if is_new or waited_s >= self._still_s:
            self._last, self._printed = time.monotonic(), line
            say(self._console, line)

    def notified(self, state: State, sentence: str) -> None:
        """Print a message at once."""
        say(self._console, sentence)

    def warned(self, state: State, sentence: str) -> None:
        """Print a warning at once."""
        say(self._console, f"warning: {sentence}")

    def ended(self, state: State) -> None:
        """Print the final lines."""
        for line in self._view.ending(state):
            say(self._console, line)


class LivePicture(Generic[State]):
    """A picture that is redrawn on the alternate screen: title, messages, warnings, status, view.

    On the main screen a resize would rewrap the last picture and move lines of it into the
    scrollback. When the work ends, the terminal shows its former content, followed by the title,
    all messages and warnings, and the final lines.
    """

    def __init__(self, console: Console, view: View[State]) -> None:
        self._console = console
        self._view = view
        self._last = 0.0
        self._warnings: list[str] = []
        self._messages: list[str] = []

    def started(self, state: State) -> None:
        """Start to draw."""
        self._console.set_alt_screen(True)
        self._draw(state)

    def pair_finished(self, state: State, record: object) -> None:
        """Do nothing: the next tick shows the pair."""

    def tick(self, state: State) -> None:
        """Redraw, at most four times a second."""
        if time.monotonic() - self._last >= REDRAW_EVERY_S:
            self._draw(state)

    def notified(self, state: State, sentence: str) -> None:
        """Show a message until the next one, and print it again at the end."""
        self._messages.append(sentence)
        self._draw(state)

    def warned(self, state: State, sentence: str) -> None:
        """Show a warning, and print it again at the end."""
        self._warnings.append(f"warning: {sentence}")
        self._draw(state)

    def ended(self, state: State) -> None:
        """Close the picture and print title, messages, warnings and final lines."""
        self._show("")
        self._console.set_alt_screen(False)
        for line in self._view.title(state):
            say(self._console, line)
        for sentence in self._messages:
            say(self._console, sentence)
        for sentence in self._warnings:
            say(self._console, sentence, style="yellow")
        for line in self._view.ending(state):
            say(self._console, line)

    def _draw(self, state: State) -> None:
        self._last = time.monotonic()
        width, height = self._size()
        above: list[RenderableType] = [Text(line) for line in self._view.title(state)]
        above += [Text(line) for line in self._messages[-1:]]
        earlier = len(self._warnings) - WARNINGS_SHOWN
        if earlier > 0:
            above.append(Text(f"{earlier} earlier warnings, shown at the end", style="yellow"))
        above += [Text(line, style="yellow") for line in self._warnings[-WARNINGS_SHOWN:]]
        above.append(Text(self._view.status(state), style="bold"))
        options = self._console.options.update(width=width)
        remaining = height - len(self._console.render_lines(Group(*above), options, pad=False))
        self._show(Group(*above, self._view.picture(state, width, max(0, remaining))))

    def _show(self, picture: RenderableType) -> None:
        width, height = self._size()
        # With the last row, in which a higher terminal may have left a line of the picture.
        self._console.update_screen(picture, region=Region(0, 0, width, height + 1))

    def _size(self) -> tuple[int, int]:
        """Return the width and height of a picture in characters."""
        # The console's own size comes from COLUMNS and LINES, which a resize does not change.
        try:
            width, height = os.get_terminal_size(self._console.file.fileno())
        except (OSError, ValueError):
            width = height = 0
        return width or self._console.width, max(1, (height or self._console.height) - 1)


def display_for(console: Console, view: View[State]) -> "LivePicture[State] | LogLines[State]":
    """Return a picture if the console is a terminal that can redraw, else log lines.

    A terminal without colours also gets a picture.
    """
    if console.file.isatty() and console.is_terminal and not console.is_dumb_terminal:
        return LivePicture(console, view)
    return LogLines(console, view)


def say(console: Console, line: str, style: str | None = None) -> None:
    """Print a line without wrapping it."""
    console.print(line, style=style, soft_wrap=True)


@contextmanager
def warn_when_slow(
    warn: Callable[[], None], count_done: Callable[[], int], patience_s: float = PATIENCE_S
) -> Iterator[None]:
    """Call a function once if nothing is done for some seconds."""
    over = Event()

    def watch() -> None:
        before = 0
        while not over.wait(patience_s):
            if before == (before := count_done()):
                warn()
                return

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def at_intervals(print_line: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that prints a line only if the last one is some seconds old."""
    last = time.monotonic()

    def log(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= LOG_EVERY_S:
            last = time.monotonic()
            print_line(line)

    return log
