"""A picture on a terminal that is redrawn in place, and the keys that a person presses.

Keys are read one by one without the terminal's echo. Ctrl-C still stops the command, and Ctrl-Z
restores the terminal until the program is continued.
"""

import codecs
import os
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from ladder.signals import current_stop

SEQUENCES = {
    **{f"\x1b{lead}{code}": name for lead in "[O" for code, name in (
        ("A", "up"), ("B", "down"), ("C", "right"), ("D", "left"), ("H", "home"), ("F", "end"),
    )},
    "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end",
    "\x1b[5~": "up", "\x1b[6~": "down",
    "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace",
    "\x04": "eof", "\x15": "clear", "\x1b": "clear",
}  # fmt: skip
"""Names of keys by the characters that a terminal sends; any other key is its own character."""
ESCAPE_S = 0.05
"""Longest pause within a key's sequence; after it, Esc and the next key are two keys."""


AROUND = 9
"""Lines of the screen above and below the board."""


def can_draw(console: Console, rows: int) -> bool:
    """Return whether a terminal can be drawn on and read key by key.

    Args:
        console: the console of standard output.
        rows: rows of the board, which must fit: lines that have scrolled away cannot be redrawn.

    """
    terminal = console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty()
    return terminal and console.height >= rows + AROUND


class LineInput:
    """Lines of a pipe or a terminal; waiting for one ends when the user stops the command."""

    def __init__(self, source: int) -> None:
        """Read nothing yet; `source` is a file descriptor."""
        self._source = source
        self._unread = b""

    def read(self) -> str | None:
        """Return the next line without its end, or None at the end of the input.

        Raises:
            Stopped: the user has stopped the command.

        """
        while b"\n" not in self._unread:
            current_stop().wait_ready(self._source)
            data = os.read(self._source, 65536)
            if not data:
                line, self._unread = self._unread, b""
                return line.decode("utf-8", "replace") if line else None
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode("utf-8", "replace")


class Screen:
    """A terminal with a picture: a context manager that restores the terminal at its end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._source = sys.stdin.fileno()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._live: Live | None = None
        self._picture: RenderableType = ""
        self._former: list[Any] = []

    def __enter__(self) -> Self:
        self._take()
        # Not SIG_IGN, which bots would inherit. Ctrl-Z while a bot thinks would use up its clock.
        self._former_stop = signal.signal(signal.SIGTSTP, lambda *_: None)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_back()
        signal.signal(signal.SIGTSTP, self._former_stop)

    def draw(self, picture: RenderableType) -> None:
        """Replace the picture."""
        self._picture = picture
        if self._live is not None:
            self._live.update(picture, refresh=True)

    def forget_keys(self) -> None:
        """Drop keys that were pressed before."""
        termios.tcflush(self._source, termios.TCIFLUSH)

    def key(self) -> str:
        """Wait for a key and return its name in SEQUENCES, its character, or "" for any other key.

        A closed terminal is "eof".

        Raises:
            Stopped: the user has stopped the command.

        """
        former = signal.signal(signal.SIGTSTP, self._suspend)
        try:
            text = self._read()
            if text == "\x1b":
                # Arrow keys and the like send Esc and more characters at once.
                while current_stop().wait_ready(self._source, timeout_s=ESCAPE_S):
                    more = self._read()
                    text += more
                    if more == "" or (len(text) > 2 and (more.isalpha() or more == "~")):
                        break
        finally:
            signal.signal(signal.SIGTSTP, former)
        if text == "":
            return "eof"
        return SEQUENCES.get(text, text if text.isprintable() else "")

    def _read(self) -> str:
        """Return one character, empty at the end of the input."""
        while True:
            current_stop().wait_ready(self._source)
            try:
                data = os.read(self._source, 1)
            except OSError:
                return ""
            text = self._decoder.decode(data, final=not data)
            if text or not data:
                return text

    def _take(self) -> None:
        self._former = termios.tcgetattr(self._source)
        tty.setcbreak(self._source, termios.TCSADRAIN)
        self._live = Live(
            self._picture, console=self._console, auto_refresh=False, vertical_overflow="visible"
        )
        self._live.start()

    def _give_back(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        termios.tcsetattr(self._source, termios.TCSADRAIN, self._former)

    @contextmanager
    def released(self) -> Iterator[None]:
        """Restore the terminal for other output in the block, then draw the picture below it."""
        if self._live is not None:
            self._live.transient = True
        self._give_back()
        try:
            yield
        finally:
            self._take()
            self.draw(self._picture)

    def _suspend(self, *_: object) -> None:
        with self.released():
            handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, handler)


class TypedLine:
    """A line that a person is typing."""

    def __init__(self) -> None:
        self.text = ""

    def take(self, key: str) -> bool:
        """Edit the line by a key, and return False if the key does not edit."""
        if key == "backspace":
            self.text = self.text[:-1]
        elif key == "clear":
            self.text = ""
        elif len(key) == 1:
            self.text = (self.text + key)[:40]
        else:
            return False
        return True


def with_prompt(picture: RenderableType, question: str, typed: str | None, help_line: str) -> Group:
    """Return a picture with a prompt below it, what is typed (None hides it), and the keys."""
    line = Text(question, style="bold")
    if typed is not None:
        line = Text.assemble(line, typed, ("_", "dim"))
    return Group(picture, Text(""), line, Text(help_line, style="dim"))
