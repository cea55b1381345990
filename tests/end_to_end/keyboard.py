"""A command on a terminal of its own, typed at as by a person."""

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
ENTER, BACKSPACE, CTRL_C, CTRL_D = "\r", "\x7f", "\x03", "\x04"
PATIENCE_S = 60


class Keyboard:
    """Starts a command on a pseudo-terminal; `text` is what it has written so far."""

    def __init__(
        self, words: list[str], *, folder: Path, environment: dict[str, str], lines: int = 24
    ) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        self.text = ""
        self.raw = ""
        """The same with the sequences that move the cursor and choose colours."""
        self._read = 0
        environment = {**environment, "TERM": "xterm-256color"}
        self.process = SERVER.start(words, folder, environment, terminal=slave)

    def press(self, *keys: str) -> None:
        """Type something."""
        for key in keys:
            os.write(self.master, key.encode())

    def wait_for(self, words: str) -> str:
        """Until these words come, after those that were waited for last; what was written since."""
        deadline = time.monotonic() + PATIENCE_S
        while (at := self.text.find(words, self._read)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"{words!r} never came after:\n{self.text[self._read :]}"
            self._listen(left)
        since = self.text[self._read : at + len(words)]
        self._read = at + len(words)
        return since

    def end(self) -> int:
        """Wait for the command's end; its exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end:\n{self.text[self._read :]}"
            self._listen(0.05)
        while self._listen(0.05):
            pass
        return self.process.returncode

    def hang_up(self) -> None:
        """The terminal goes away, as when its window is closed."""
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = -1

    def close(self) -> None:
        """End what is left."""
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
