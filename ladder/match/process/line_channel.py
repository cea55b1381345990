"""The pipes to and from a bot: send a line, and wait for the one line that answers it.

Blocking and lean: an exchange costs four system calls (poll, write, poll, read). What goes wrong is
an exception about the pipes; `ladder.match.process.bot_process` says what it means for the bot.
"""

from __future__ import annotations

import contextlib
import select
from collections import deque
from collections.abc import Callable
from os import read, write
from time import perf_counter_ns

from bots.protocol import MAX_LINE
from db.records.games import MESSAGES_KEPT
from ladder.signals import Poll, current_stop

SLICE_MS = 250.0
"""Longest single wait; one that takes much longer means that the harness was stopped."""
ASLEEP_S = 0.25
"""Waking so late after a deadline, we were stopped (Ctrl-Z, a debugger) or the machine slept."""
TO_BOT, FROM_BOT = "> ", "< "
"""Signs before the messages that are kept."""
READ_BYTES = 64 * 1024
"""All that the pipe from a bot holds."""
USUAL_BYTES = 464
"""Size of the first read: answers are hardly ever longer, and Python reuses memory for results of
this size, while larger ones go to the C library and back."""


class ChannelError(Exception):
    """No exchange of one line for one line took place."""


class NotReadError(ChannelError):
    """The bot did not read the whole line in time."""


class LateError(ChannelError):
    """No whole line came in time."""

    def __init__(self, received: bytes = b"") -> None:
        super().__init__(received)
        self.received = received
        """The beginning of a line."""


class ClosedError(ChannelError):
    """A pipe is closed at its other end."""

    def __init__(self, event: str, received: bytes = b"") -> None:
        super().__init__(event)
        self.event = event
        """What the bot did, as the predicate of a sentence."""
        self.received = received
        """The beginning of a line."""


class NotOneLineError(ChannelError):
    """More than one line came, or one that is too long."""

    def __init__(self, received: bytes) -> None:
        super().__init__(received)
        self.received = received


class LineChannel:
    """The pipes to and from one bot.

    Attributes:
        messages: the last messages as they were sent, each behind the sign of its sender.
        started_ns: start of the last exchange (`time.perf_counter_ns`).
        overslept_us: time for which the harness was stopped during patient waits.

    """

    def __init__(self, stdin: int, stdout: int, supervisor: int) -> None:
        """Watch the pipes.

        Args:
            stdin: the writing end of the bot's standard input, non-blocking.
            stdout: the reading end of its standard output.
            supervisor: a pipe from its supervisor, whose end is the end of the bot.

        """
        self.messages: deque[tuple[str, bytes]] = deque(maxlen=MESSAGES_KEPT)
        self.started_ns = 0
        self.overslept_us = 0
        self._stdin = stdin
        self._stdout = stdout
        self._poll_output = current_stop().make_poll(stdout)
        self._wait = current_stop().make_poll(stdout, hang_up=supervisor)
        """A poll of the standard output that ends also with the supervisor."""
        self._wait_patiently = self._in_slices(self._wait)
        """The same for the answers before the first move."""
        unasked = select.poll()
        unasked.register(stdout, select.POLLIN)
        unasked.register(supervisor, select.POLLIN)
        self.poll_unasked = unasked.poll
        """Poll for what came since the last answer: output, and the supervisor's lines."""

    def exchange(self, line: bytes, timeout_s: float, *, patient: bool) -> tuple[bytes, int]:
        """Send a line and wait for the line that answers it.

        Args:
            line: with its line feed.
            timeout_s: deadline of the answer; one that is read after it is returned all the same.
            patient: whether to notice a stop of the harness meanwhile (see `overslept_us`).

        Returns:
            The line with its line feed, and the time from just before the writing to the reading
            of the whole line, in microseconds.

        Raises:
            ChannelError: there is no such line.

        """
        self.messages.append((TO_BOT, line))
        left_s = timeout_s
        # Before the write: on a CPU of its own with the bot, the harness is put aside as soon as
        # the bot can read, for up to a scheduler tick of some milliseconds.
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
        """Send a line that has no answer; a failure shows at the next exchange."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            self.messages.append((TO_BOT, line))
            write(self._stdin, line)

    def read_unasked(self, timeout_s: float = 0.0) -> bytes | None:
        """Return output that nothing asked for; empty at its end, None if there is none in time."""
        if not self._poll_output(timeout_s * 1000):
            return None
        data = read(self._stdout, READ_BYTES)
        if data:
            self.messages.append((FROM_BOT, data))
        return data

    def is_idle(self) -> bool:
        """Return whether nothing can be read and the supervisor lives."""
        return not self._wait(0)

    def report_silence(self, after_s: float, report: Callable[[], None]) -> None:
        """Call `report` once if the next answer takes longer than `after_s` seconds."""
        former, after_ms = (self._wait, self._wait_patiently), after_s * 1000

        def reporting(poll: Poll) -> Poll:
            def wait(timeout_ms: float) -> list[tuple[int, int]]:
                if timeout_ms <= after_ms:
                    return poll(timeout_ms)
                self._wait, self._wait_patiently = former
                if found := poll(after_ms):
                    return found
                report()
                return poll(timeout_ms - after_ms)

            return wait

        self._wait, self._wait_patiently = map(reporting, former)

    def _in_slices(self, poll: Poll) -> Poll:
        """Return a poll that wakes often enough to notice when the harness was stopped."""

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
        """Return what is left of the time of the present exchange; 0 or less after its end."""
        return timeout_s * 1000 - (perf_counter_ns() - self.started_ns) / 1e6

    def _write_rest(self, rest: bytes, timeout_s: float) -> None:
        """Write what a full pipe did not take, as the bot reads."""
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
        """Read on until what has been read is one line."""
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
