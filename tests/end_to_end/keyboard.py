"""A command on a pseudo-terminal, and the keys that a person types."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from pathlib import Path

from tests.end_to_end.conftest import SERVER

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ENTER, CTRL_D = "\r", "\x04"
PATIENCE_S = 60


class Keyboard:
    """A command on a pseudo-terminal and its output so far (`text`)."""

    def __init__(self, words: list[str], *, folder: Path, environment: dict[str, str]) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        self.text = ""
        self.raw = ""
        """The output with the sequences that move the cursor and set colours."""
        self._read = 0
        environment = {**environment, "TERM": "xterm-256color"}
        self.process = SERVER.start(words, folder, environment, terminal=slave)

    def press(self, *keys: str) -> None:
        """Type keys."""
        for key in keys:
            os.write(self.master, key.encode())

    def wait_for(self, words: str) -> str:
        """Wait for these words after those waited for last; return the output since then."""
        deadline = time.monotonic() + PATIENCE_S
        while (at := self.text.find(words, self._read)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"{words!r} never came after:\n{self.text[self._read :]}"
            self._listen(left)
        since = self.text[self._read : at + len(words)]
        self._read = at + len(words)
        return since

    def end(self) -> int:
        """Wait for the command's end and return its exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end:\n{self.text[self._read :]}"
            self._listen(0.05)
        while self._listen(0.05):
            pass
        return self.process.returncode

    def hang_up(self) -> None:
        """Close the terminal, as closing its window does."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def close(self) -> None:
        """Kill the command if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.master >= 0:
            self.hang_up()

    def _listen(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        new = os.read(self.master, 65536).decode("utf-8", "replace")
        self.raw += new
        self.text += re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", new)
        return True
