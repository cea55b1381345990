"""A command that the service plays: a child process, its share of the slots, and its result."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO

from db.records.queue import EntryRow
from ladder.queue.link import Link, ShareMessage, StartMessage, StateMessage

CHILD = "ladder.cli.queued"
"""The module that the child runs."""
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
    """An ordinary command that runs in a child process, which dies with this one.

    The process is started in advance, because loading the program takes a second or more.
    """

    entry: EntryRow
    """The entry of the queue, from `start` on."""

    def __init__(self, modules: Iterable[str] = ()) -> None:
        """Start a process that waits for its command.

        Args:
            modules: The modules that it loads in advance.

        """
        self.share = ShareMessage(0)
        self.held = 0
        """Slots that it may be using: at least its share, and more until surplus pairs end."""
        self.run_id: int | None = None
        self.is_ending = False
        """Whether it was interrupted."""
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        ours, theirs = socket.socketpair()
        self._link = Link(ours)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", CHILD, str(os.getpid()), str(theirs.fileno()), *modules],
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._errors,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # a Ctrl-C on the terminal is the service's business
            )
        finally:
            theirs.close()

    def start(self, entry: EntryRow, message: StartMessage) -> None:
        """Start the command of an entry."""
        self.entry = entry
        self.run_id = entry.run_id
        self._link.send(message)

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

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

    def receive(self) -> bool:
        """Read the messages of the command; return whether it has begun a run."""
        former = self.run_id
        for message in self._link.receive(StateMessage):
            if message.held is not None:
                self.held = max(self.share.slots, message.held)
            if message.run is not None:
                self.run_id = message.run
        return self.run_id != former

    def interrupt(self) -> None:
        """Have the command save and end, so that it can be resumed."""
        if not self.is_ending:
            self.is_ending = True
            self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End the command at once."""
        self._process.kill()
        self._process.wait()

    def poll(self) -> CommandResult | None:
        """Return the result if the command has ended."""
        code = self._process.poll()
        if code is None:
            return None
        errors = _read(self._errors, MOST_ERRORS)
        return CommandResult(code, _read(self._output, MOST_OUTPUT), _sentence(errors))

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
