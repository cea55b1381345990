"""The pipes to and from a bot: send a line, and wait for the one line that answers it.

An exchange blocks and costs four system calls (poll, write, poll, read). Its exceptions are about
the pipes; `ladder.match.process.bot_process` turns them into failures of the bot.
"""

from __future__ import annotations

import contextlib
import select
from collections import deque
from os import read, write
from time import perf_counter_ns

from bots.protocol import MAX_LINE
from db.records.games import MESSAGES_KEPT
from ladder.signals import Poll, current_stop

SLICE_MS = 250.0
"""Longest single wait; one that takes much longer means that the harness was stopped."""
ASLEEP_S = 0.25
"""Delay after a deadline that shows that the harness was stopped (Ctrl-Z, a debugger) or that the
machine slept."""
TO_BOT, FROM_BOT = "> ", "< "
"""Prefixes of the recorded messages."""
READ_BYTES = 64 * 1024
"""Capacity of a pipe."""
USUAL_BYTES = 464
"""Size of the first read. Answers are hardly ever longer, and Python keeps blocks of up to 512
bytes (464 and the header of `bytes`) in its own allocator instead of calling malloc."""


class ChannelError(Exception):
    """The exchange of one line for one line failed."""


class NotReadError(ChannelError):
    """The bot did not read the whole line in time."""


class LateError(ChannelError):
    """No whole line came in time."""

    def __init__(self, received: bytes = b"") -> None:
        super().__init__(received)
        self.received = received
        """The beginning of the answer."""


class ClosedError(ChannelError):
    """A pipe is closed at its other end."""

    def __init__(self, event: str, received: bytes = b"") -> None:
        super().__init__(event)
        self.event = event
        """What the bot did, as the predicate of a sentence."""
        self.received = received
        """The beginning of the answer."""


class NotOneLineError(ChannelError):
    """More than one line came, or one that is too long."""

    def __init__(self, received: bytes) -> None:
        super().__init__(received)
        self.received = received


class LineChannel:
    """The pipes to and from one bot.

    Attributes:
        messages: the last messages, each with `TO_BOT` or `FROM_BOT`, oldest first.
        started_ns: start of the last exchange (`time.perf_counter_ns`).
        overslept_us: time for which the harness was stopped during patient waits.

    """

    def __init__(self, stdin: int, stdout: int, supervisor: int) -> None:
        """Create a channel on open pipes, which it does not close.

        Args:
            stdin: the writing end of the bot's standard input, non-blocking.
            stdout: the reading end of its standard output.
            supervisor: the reading end of the supervisor's status pipe; when it is closed, the bot
                has ended.

        """
        self.messages: deque[tuple[str, bytes]] = deque(maxlen=MESSAGES_KEPT)
        self.started_ns = 0
        self.overslept_us = 0
        self._stdin = stdin
        self._stdout = stdout
        self._poll_output = current_stop().make_poll(stdout)
        self._wait = current_stop().make_poll(stdout, hang_up=supervisor)
        """Waits for output of the bot or the end of the supervisor."""
        self._wait_patiently = self._slice_wait(self._wait)
        """The same, for questions other than moves: also notices a stop of the harness."""
        unasked = select.poll()
        unasked.register(stdout, select.POLLIN)
        unasked.register(supervisor, select.POLLIN)
        self.poll_unasked = unasked.poll
        """Polls for output of the bot or the supervisor since the last answer."""

    def exchange(self, line: bytes, timeout_s: float, *, patient: bool) -> tuple[bytes, int]:
        """Send a line and wait for the line that answers it.

        Args:
            line: the question, with its line feed.
            timeout_s: how long to wait. An answer that is read later is returned as well.
            patient: whether to notice if the harness is stopped meanwhile (see `overslept_us`).

        Returns:
            The answer with its line feed, and the microseconds from just before the write until
            the whole answer was read.

        Raises:
            ChannelError: there was no answer of one line.

        """
        self.messages.append((TO_BOT, line))
        left_s = timeout_s
        # Read the clock before the write: where harness and bot share one CPU, the kernel may run
        # the bot as soon as it can read, and the harness only milliseconds later.
        self.started_ns = started = perf_counter_ns()
        try:
            written = write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            raise ClosedError("closed its standard input") from None
        if written != len(line):
            self._write_rest(line[written:], timeout_s)
            left_s = max(0.0, timeout_s - (perf_counter_ns() - started) / 1e9)
        wait = self._wait_patiently if patient else self._wait
        if not (ready := wait(left_s * 1000)):
            raise LateError
        if ready[0][0] != self._stdout:
            raise ClosedError("lost its supervisor")
        data = read(self._stdout, USUAL_BYTES)
        if len(data) == USUAL_BYTES and self._poll_output(0):
            data += read(self._stdout, READ_BYTES)
        finished = perf_counter_ns()
        self.messages.append((FROM_BOT, data))
        if data.find(b"\n") != len(data) - 1 or not data:
            data = self._read_rest(data, timeout_s)
            finished = perf_counter_ns()
        return data, (finished - started) // 1000

    def send(self, line: bytes) -> None:
        """Send a line that has no answer; the next exchange reports a failure."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            self.messages.append((TO_BOT, line))
            write(self._stdin, line)

    def read_unasked(self, timeout_s: float = 0.0) -> bytes | None:
        """Return output that nothing asked for: None at the timeout, b"" at the end of the pipe."""
        if not self._poll_output(timeout_s * 1000):
            return None
        data = read(self._stdout, READ_BYTES)
        if data:
            self.messages.append((FROM_BOT, data))
        return data

    def is_idle(self) -> bool:
        """Return whether there is no output to read and the supervisor is alive."""
        return not self._wait(0)

    def _slice_wait(self, poll: Poll) -> Poll:
        """Return a poll of several short waits, so that a stop of the harness shows.

        A stop of 3 s makes a wait of `SLICE_MS` 3 s longer; the excess does not use up the
        timeout, for the bot may have been stopped as well.
        """

        def wait(timeout_ms: float) -> list[tuple[int, int]]:
            while True:
                slice_ms = min(timeout_ms, SLICE_MS)
                began = perf_counter_ns()
                found = poll(slice_ms)
                over_ms = (perf_counter_ns() - began) / 1e6 - slice_ms
                if over_ms > ASLEEP_S * 1000:
                    self.overslept_us += int(over_ms * 1000)
                timeout_ms -= slice_ms + max(0.0, over_ms)
                if found or timeout_ms <= 0:
                    return found

        return wait

    def _left_ms(self, timeout_s: float) -> float:
        """Return the time left for the current exchange; 0 or less after its deadline."""
        return timeout_s * 1000 - (perf_counter_ns() - self.started_ns) / 1e6

    def _write_rest(self, rest: bytes, timeout_s: float) -> None:
        """Write what did not fit into the pipe, while the bot reads."""
        poll = current_stop().make_poll(self._stdin, select.POLLOUT)
        while rest:
            left_ms = self._left_ms(timeout_s)
            if left_ms <= 0 or not poll(left_ms):
                raise NotReadError
            try:
                rest = rest[write(self._stdin, rest) :]
            except BrokenPipeError:
                raise ClosedError("closed its standard input") from None

    def _read_rest(self, data: bytes, timeout_s: float) -> bytes:
        """Read until there is a whole line."""
        while True:
            if not data:
                raise ClosedError("closed its standard output")
            end = data.find(b"\n")
            length = len(data) if end < 0 else end
            if length >= MAX_LINE or 0 <= end < len(data) - 1:
                raise NotOneLineError(data)
            if end >= 0:
                return data
            left_ms = self._left_ms(timeout_s)
            if left_ms <= 0 or not (ready := self._wait(left_ms)):
                raise LateError(data)
            if ready[0][0] != self._stdout:
                raise ClosedError("lost its supervisor")
            more = read(self._stdout, READ_BYTES)
            if not more:
                raise ClosedError("closed its standard output", data)
            data += more
            self.messages[-1] = (FROM_BOT, data)
