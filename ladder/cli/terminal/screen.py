"""A picture on a terminal that is drawn anew in place, and the keys that a person presses.

Keys are read one by one without the terminal's echo; Ctrl-C still stops the command, and Ctrl-Z
leaves the terminal as it was until the program is continued.
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
"""Names of keys by the characters that a terminal sends for them; any other one is itself."""
ESCAPE_S = 0.05
"""A sequence comes at once; what comes later is the Esc key and another key after it."""


AROUND = 9
"""Lines above and below a board."""


def can_draw(console: Console, rows: int) -> bool:
    """Whether a person sits at a terminal that can be drawn on and read key by key.

    Args:
        console: of the standard output.
        rows: of the board, which must fit: what has scrolled away cannot be drawn anew.

    """
    terminal = console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty()
    return terminal and console.height >= rows + AROUND


class LineInput:
    """Lines of a pipe or a terminal, waited for in such a way that a stop is heard."""

    def __init__(self, source: int) -> None:
        """Nothing is read before the first line is asked for; `source` is a file descriptor."""
        self._source = source
        self._unread = b""

    def read(self) -> str | None:
        """The next line without its end; None at the end of the input.

        Raises:
            Stopped: the user wants the command to end.

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
    """A terminal while somebody plays or looks: a context manager that leaves it as it was."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._source = sys.stdin.fileno()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._live: Live | None = None
        self._picture: RenderableType = ""
        self._former: list[Any] = []

    def __enter__(self) -> Self:
        self._take()
        # Not SIG_IGN, which the bots would inherit: a stop while one thinks would cost its clock.
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
        """Put a picture in the place of the last one."""
        self._picture = picture
        if self._live is not None:
            self._live.update(picture, refresh=True)

    def forget_keys(self) -> None:
        """Drop what was typed while nobody asked."""
        termios.tcflush(self._source, termios.TCIFLUSH)

    def key(self) -> str:
        """Wait for a key: a name of SEQUENCES, a character, or "" for a key without meaning.

        A terminal that has gone away is "eof".

        Raises:
            Stopped: the user wants the command to end.

        """
        former = signal.signal(signal.SIGTSTP, self._suspend)
        try:
            text = self._read()
            if text == "\x1b":
                # Arrows and their like are Esc and more, in one piece.
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
        """One character; empty at the end of the input."""
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
    def aside(self) -> Iterator[None]:
        """The terminal as it was, for others; the picture comes back below what they wrote."""
        if self._live is not None:
            self._live.transient = True
        self._give_back()
        try:
            yield
        finally:
            self._take()
            self.draw(self._picture)

    def _suspend(self, *_: object) -> None:
        with self.aside():
            handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, handler)


class TypedLine:
    """The line that a person is typing."""

    def __init__(self) -> None:
        self.text = ""

    def take(self, key: str) -> bool:
        """Change the line by a key; False when the key does nothing to a line."""
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
    """A picture, below it what is typed (None: nothing can be), and what can be."""
    line = Text(question, style="bold")
    if typed is not None:
        line = Text.assemble(line, typed, ("_", "dim"))
    return Group(picture, Text(""), line, Text(help_line, style="dim"))
