"""The log file of a bot's stderr, limited to its first and last 64 KiB.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import os
import time

HEAD = 64 * 1024
"""Bytes of stderr kept from its beginning."""
TAIL = 64 * 1024
"""Bytes of stderr kept from its end."""


class Log:
    """The head and the tail of stderr in a file, created with the first byte."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.file = -1
        self.length = 0
        """Bytes logged so far, including those that are not kept."""
        self.tail = bytearray()
        """The last of them."""
        self.is_tail_new = False
        """Whether the tail has changed since `flush`."""
        self.heading = b""
        """Headings to write before the bot's next output."""

    def add_heading(self, line: bytes) -> None:
        """Put a heading before the bot's next output."""
        self.heading = self.heading[-2000:] + b"--- " + line + b" ---\n"

    def read(self, stderr: int) -> int:
        """Log what is in the pipe; return the number of bytes: 0 at its end, -1 if it is empty."""
        try:
            data = os.read(stderr, 65536)
        except BlockingIOError:
            return -1
        self.append(data)
        if len(data) > 32768:
            time.sleep(0.001)  # so that a flood of output does not keep a processor busy
        return len(data)

    def read_all(self, stderr: int) -> None:
        """Log the rest of the pipe after all its writers have ended."""
        while self.read(stderr) > 0:
            pass

    def append(self, data: bytes) -> None:
        """Write the part that belongs to the head, and keep the rest for `flush`."""
        if self.heading and data:
            broken = self.length > 0 and not self.tail.endswith(b"\n")
            data, self.heading = b"\n" * broken + self.heading + data, b""
        if self.path and self.file < 0 and data:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            try:
                self.file = os.open(self.path, flags, 0o644)
            except OSError:
                self.path = None
        head = data[: max(0, HEAD - self.length)]
        self.length += len(data)
        self.tail += data
        if len(self.tail) > 2 * TAIL:
            del self.tail[:-TAIL]
        self.is_tail_new = self.length > HEAD
        if self.file >= 0 and head:
            try:
                os.write(self.file, head)
            except OSError:
                self.path = None  # a full disk must not cost the bot its game

    def flush(self) -> None:
        """Write the current tail behind the head, over the previous one."""
        if self.file < 0 or not self.is_tail_new:
            return
        self.is_tail_new = False
        tail = bytes(self.tail[-min(TAIL, self.length - HEAD) :])
        left_out = self.length - HEAD - len(tail)
        note = f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b""
        try:
            os.ftruncate(self.file, HEAD + os.pwrite(self.file, note + tail, HEAD))
        except OSError:
            self.path = None
