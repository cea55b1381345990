"""The connection between the service and a command that it has started.

Each line is one JSON message. The service sends the command's share of the slots, whenever it
changes; the command sends its run and the slots that it holds, and the process that started it
sends its end.
"""

import contextlib
import socket
from typing import TypeVar

import msgspec

T = TypeVar("T")
LONGEST = 1 << 20
"""Most bytes that are read at a time."""


class StartMessage(msgspec.Struct, frozen=True):
    """What a command needs to know before it starts; the first message."""

    words: tuple[str, ...]
    """The command line without ``ladder`` and the database."""
    db: str
    """The database: an absolute path or a URL."""
    folder: str
    """The folder in which it was submitted."""
    address: str | None
    """The cluster's scheduler; None to play on the service's machine."""
    certificates: str | None
    insecure: bool
    run: int | None
    """The entry's newest run, whose result it prints if that is finished; None before any."""
    placements: dict[int, tuple[str, str]]
    """The specification of each submitted bot, and the folder of its unpacked archive, by
    revision."""


class ShareMessage(msgspec.Struct, frozen=True):
    """The slots that a command may use from now on."""

    slots: int
    machines: dict[str, int] | None = None
    """The slots of each machine of a cluster by address; None on the service's machine."""


class StateMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of a command; None for what has not changed."""

    code: int | None = None
    """The exit code of its process, which has ended; negative for the signal that killed it."""
    run: int | None = None
    """The run that it plays now."""
    held: int | None = None
    """The slots that it may be using."""


class Link:
    """One end of a socket. Neither end ever waits for the other."""

    def __init__(self, end: socket.socket) -> None:
        """Take over a socket."""
        end.setblocking(False)
        self._end = end
        self.is_closed = False
        """Whether the other end is closed."""
        self._lines = [b""]
        """Complete lines that have come, and the beginning of the next one."""
        self._unsent = b""

    @property
    def descriptor(self) -> int:
        """The descriptor of this end."""
        return self._end.fileno()

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; what the other end does not take now is sent with the next one."""
        self._unsent += msgspec.json.encode(message) + b"\n"
        with contextlib.suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
            self._unsent = self._unsent[self._end.send(self._unsent) :]

    def receive(self, kind: type[T], most: int | None = None) -> list[T]:
        """Return the messages that have come, all of one kind and at most `most`."""
        try:
            while packed := self._end.recv(LONGEST):
                first, *others = packed.split(b"\n")
                self._lines[-1] += first
                self._lines += others
            self.is_closed = True
        except BlockingIOError:
            pass
        except ConnectionResetError:
            self.is_closed = True
        count = len(self._lines) - 1 if most is None else min(most, len(self._lines) - 1)
        taken, self._lines = self._lines[:count], self._lines[count:]
        return [msgspec.json.decode(line, type=kind) for line in taken]

    def close(self) -> None:
        """Close this end."""
        self._end.close()
