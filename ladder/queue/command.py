"""A command that the service plays: its process, its share of the slots, and its result."""

import contextlib
import os
import select
import signal
import socket
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO

from db.records.queue import EntryRow
from ladder.queue.command_server import CommandServer
from ladder.queue.link import Link, ShareMessage, StartMessage, StateMessage

MOST_OUTPUT = 1 << 20
"""Most bytes of a result that are stored."""
MOST_ERRORS = 1 << 16
"""Most bytes of stderr that are searched for the sentence of a failure."""
MOST_MESSAGE = 2000
"""Most characters of the sentence of a failure."""
SENTENCE = "ladder: "
"""The beginning of the sentence with which a command fails."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The end of a command."""

    code: int
    """Its exit code; negative for the signal that killed it."""
    output: str
    """What it printed on stdout."""
    message: str
    """The sentence of its failure, or the last lines on stderr."""


class PlayedCommand:
    """An ordinary command that runs in a process of its own."""

    def __init__(self, entry: EntryRow, message: StartMessage, server: CommandServer) -> None:
        """Start the command of an entry.

        Args:
            entry: The entry of the queue.
            message: What the command needs to know.
            server: Starts the process.

        """
        self.entry = entry
        self.share = ShareMessage(0)
        self.held = 0
        """Slots that it may be using: at least its share, and more until surplus pairs end."""
        self.run_id = entry.run_id
        self.interrupted_at: float | None = None
        """The monotonic time at which it was interrupted; None if it was not."""
        self._server = server
        self._code: int | None = None
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        ours, theirs = socket.socketpair()
        self._link = Link(ours)
        self._link.send(message)
        with theirs:
            server.start_command(entry.id, theirs, self._output, self._errors)

    @property
    def is_ending(self) -> bool:
        """Whether it was interrupted."""
        return self.interrupted_at is not None

    @property
    def descriptor(self) -> int:
        """The descriptor that is readable when the command has a message or has ended."""
        return self._link.descriptor

    def set_share(self, slots: int, machines: Mapping[str, int] | None = None) -> None:
        """Change the slots that the command may use."""
        share = ShareMessage(slots, None if machines is None else dict(machines))
        if share != self.share:
            self.share = share
            self.held = max(self.held, slots)
            self._link.send(share)

    def receive(self) -> None:
        """Read the messages of the command."""
        for message in self._link.receive(StateMessage):
            if message.held is not None:
                self.held = max(self.share.slots, message.held)
            if message.run is not None:
                self.run_id = message.run
            if message.code is not None:
                self._code = message.code
        if self._link.is_closed and self._code is None:  # the server was killed, and it with that
            self._code = -signal.SIGKILL

    def interrupt(self) -> None:
        """Have the command save and end, so that it can be resumed."""
        if not self.is_ending:
            self.interrupted_at = time.monotonic()
            self._server.send_signal(self.entry.id, signal.SIGINT)

    def kill(self) -> None:
        """End the command at once."""
        self._server.send_signal(self.entry.id, signal.SIGKILL)
        while self._code is None:
            select.select([self._link.descriptor], [], [])
            self.receive()

    def poll(self) -> CommandResult | None:
        """Return the result if the command has ended."""
        if self._code is None:
            return None
        errors = _read(self._errors, MOST_ERRORS)
        return CommandResult(self._code, _read(self._output, MOST_OUTPUT), _sentence(errors))

    def close(self) -> None:
        """Release the descriptors of a command that has ended."""
        self._link.close()
        for file in (self._output, self._errors):
            with contextlib.suppress(OSError):
                file.close()


def _read(file: IO[bytes], last: int) -> str:
    """Return the text of a file, at most its last bytes."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - last))
    return file.read().decode(errors="replace")


def _sentence(errors: str) -> str:
    """Return the sentence with which a command failed; else its last lines."""
    _, found, last = f"\n{errors}".rpartition(f"\n{SENTENCE}")
    text = last if found else "\n".join(errors.strip().splitlines()[-5:])
    return text.strip()[:MOST_MESSAGE]
