"""The capped log file of a bot's stderr: its head and its tail, however much comes.

Loaded by every supervisor, so nothing here may import what is slow to load.
"""

import os
import time

HEAD = 64 * 1024
"""Bytes of stderr kept from its beginning."""
TAIL = 64 * 1024
"""Bytes of stderr kept from its end."""


class Log:
    """Stderr in a file that keeps its head and its tail; made when the first byte comes."""

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.file = -1
        self.seen = 0
        """Bytes so far."""
        self.tail = bytearray()
        """The last of them."""
        self.unwritten = False
        self.heading = b""
        """The lines about the games since the last words, which stand before the next."""

    def head(self, line: bytes) -> None:
        """Put a line before the next words."""
        self.heading = self.heading[-2000:] + b"--- " + line + b" ---\n"

    def read(self, stderr: int) -> int:
        """Take what lies in the pipe; how many bytes, 0 at its end."""
        try:
            data = os.read(stderr, 65536)
        except BlockingIOError:
            return -1
        self.take(data)
        if len(data) > 32768:
            time.sleep(0.001)  # a flood may fill its pipe, but not a processor
        return len(data)

    def drain(self, stderr: int) -> None:
        """Take what is left after the end of all who could write."""
        while self.read(stderr) > 0:
            pass

    def take(self, data: bytes) -> None:
        """Keep what belongs to the head in the file, the rest for `flush`."""
        if self.heading and data:
            broken = self.seen > 0 and not self.tail.endswith(b"\n")
            data, self.heading = b"\n" * broken + self.heading + data, b""
        if self.path and self.file < 0 and data:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            try:
                self.file = os.open(self.path, flags, 0o644)
            except OSError:
                self.path = None
        head = data[: max(0, HEAD - self.seen)]
        self.seen += len(data)
        self.tail += data
        if len(self.tail) > 2 * TAIL:
            del self.tail[:-TAIL]
        self.unwritten = self.seen > HEAD
        if self.file >= 0 and head:
            try:
                os.write(self.file, head)
            except OSError:
                self.path = None  # a full disk must not cost the bot its game

    def flush(self) -> None:
        """Write the present tail behind the head, over the former one."""
        if self.file < 0 or not self.unwritten:
            return
        self.unwritten = False
        tail = bytes(self.tail[-min(TAIL, self.seen - HEAD) :])
        left_out = self.seen - HEAD - len(tail)
        note = f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b""
        try:
            os.ftruncate(self.file, HEAD + os.pwrite(self.file, note + tail, HEAD))
        except OSError:
            self.path = None
