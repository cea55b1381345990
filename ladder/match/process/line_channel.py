"""The pipes to and from a bot: send a question, and wait for the one line that answers it.

An exchange blocks and costs four system calls (poll, write, poll, read).
"""

from __future__ import annotations

import contextlib
import select
from collections import deque
from collections.abc import Callable
from os import read, write
from time import perf_counter_ns

from bots.protocol import MAX_LINE, Request, encode
from db.records.games import MESSAGES_KEPT
from ladder.match.process import failures
from ladder.match.process.lateness import WAKE_NS
from ladder.signals import current_stop

SLICE_NS = 250_000_000
"""Longest single wait for an answer before its deadline."""
FIRST_SLICE_NS = 10_000_000
"""The same for the first wait for an answer whose delays are measured."""
LATE_SLICE_NS = 4_000_000
"""The same after the deadline: the time between two readings of the counters."""
LATE_SLICES = 250
"""Longer waits for an answer that takes longer: the time since the question divided by this."""
TO_BOT, FROM_BOT = "> ", "< "
"""Prefixes of the recorded messages."""
READ_BYTES = 64 * 1024
"""Capacity of a pipe."""
USUAL_BYTES = 464
"""Size of the first read. Answers are hardly ever longer, and Python keeps blocks of up to 512
bytes (464 and the header of `bytes`) in its own allocator instead of calling malloc."""


class ClosedError(Exception):
    """A pipe is closed at its other end.

    The arguments are what the bot did, as the predicate of a sentence, and the beginning of its
    answer.
    """


class LineChannel:
    """The pipes to and from one bot.

    Attributes:
        messages: the last messages, each with `TO_BOT` or `FROM_BOT`, oldest first.
        started_ns: start of the last exchange (`time.perf_counter_ns`).
        overslept_ns: how much later than intended its waits began and ended since the last look
            without an answer.

    """

    def __init__(
        self,
        stdin: int,
        stdout: int,
        supervisor: int,
        on_silence: Callable[[Request, float, int, bytes], bool],
    ) -> None:
        """Create a channel on open pipes, which it does not close.

        Args:
            stdin: the writing end of the bot's standard input, non-blocking.
            stdout: the reading end of its standard output.
            supervisor: the connection to the supervisor; when it is closed, the bot has ended.
            on_silence: called after each wait without an answer, and every few milliseconds after
                the deadline, with the question, the deadline in seconds, the time since the
                question in microseconds, and the beginning of the answer. From the first call on it
                measures what delays the answer, and returns whether something has, so that it is
                called again soon. Waiting ends when it raises.

        """
        self.messages: deque[tuple[str, bytes]] = deque(maxlen=MESSAGES_KEPT)
        self.started_ns = self.overslept_ns = 0
        self._stdin = stdin
        self._stdout = stdout
        self._on_silence = on_silence
        self._wait = current_stop().make_poll(stdout, hang_up=supervisor)
        """Waits for output of the bot or the end of the supervisor."""
        unasked = select.poll()
        unasked.register(stdout, select.POLLIN)
        unasked.register(supervisor, select.POLLIN)
        self.poll_unasked = unasked.poll
        """Polls for output of the bot or the supervisor since the last answer."""

    def exchange(
        self, request: Request, timeout_s: float, *, is_watched: bool = False
    ) -> tuple[bytes, int]:
        """Send a question and wait for the line that answers it.

        Args:
            request: the question.
            timeout_s: deadline of the answer. One that is read later is returned as well.
            is_watched: whether the caller measures what delays the answer from the start.

        Returns:
            The answer with its line feed, and the microseconds from just before the write until
            the whole answer came.

        Raises:
            BotFailure: the bot did not read the question, or its answer is more than one line.
            ClosedError: a pipe is closed.

        """
        line = encode(request)
        self.messages.append((TO_BOT, line))
        self.overslept_ns = 0
        timeout_ns = int(timeout_s * 1e9)
        # Read the clock before the write: where harness and bot share one CPU, the kernel may run
        # the bot as soon as it can read, and the harness only milliseconds later.
        now_ns = self.started_ns = perf_counter_ns()
        try:
            written = write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            raise ClosedError("closed its standard input", b"") from None
        if written != len(line):
            self._write_rest(request, line[written:], timeout_s)
        data = b""
        next_ns = FIRST_SLICE_NS if is_watched else SLICE_NS
        while True:
            elapsed_ns = now_ns - self.started_ns
            if elapsed_ns >= timeout_ns:
                slice_ns = max(LATE_SLICE_NS, elapsed_ns // LATE_SLICES)
            else:
                slice_ns = min(next_ns, timeout_ns - elapsed_ns)
            due_ns = now_ns + slice_ns
            ready = self._wait(slice_ns / 1e6)
            now_ns = perf_counter_ns()
            over_ns = now_ns - due_ns
            if over_ns > WAKE_NS:
                self.overslept_ns += over_ns
                if not is_watched and over_ns > SLICE_NS:
                    self.started_ns += over_ns
            if not ready:
                elapsed_us = (now_ns - self.started_ns) // 1000
                is_watched = True
                if self._on_silence(request, timeout_s, elapsed_us, data):
                    next_ns = max(FIRST_SLICE_NS, elapsed_us * 1000 // LATE_SLICES)
                else:
                    next_ns = min(SLICE_NS, 2 * next_ns)
                # An answer that came meanwhile would have been found at once.
                looked_ns, now_ns = now_ns, perf_counter_ns()
                late_ns = now_ns - looked_ns
                self.overslept_ns = late_ns if late_ns > WAKE_NS else 0
                continue
            more = self._read(ready, READ_BYTES if data else USUAL_BYTES, data)
            if data:
                self.messages.pop()
            data += more
            self.messages.append((FROM_BOT, data))
            end = data.find(b"\n")
            if 0 <= end < len(data) - 1 or len(data) > MAX_LINE:
                raise failures.extra_output_failure(request, data)
            if end >= 0:
                return data, (now_ns - self.started_ns) // 1000

    def _write_rest(self, request: Request, rest: bytes, timeout_s: float) -> None:
        """Write what did not fit into the pipe, while the bot reads."""
        poll = current_stop().make_poll(self._stdin, select.POLLOUT)
        while rest:
            left_ms = timeout_s * 1000 - (perf_counter_ns() - self.started_ns) / 1e6
            if left_ms <= 0 or not poll(left_ms):
                raise failures.not_read_failure(request, timeout_s)
            try:
                rest = rest[write(self._stdin, rest) :]
            except BrokenPipeError:
                raise ClosedError("closed its standard input", b"") from None

    def _read(self, ready: list[tuple[int, int]], size: int, received: bytes = b"") -> bytes:
        """Read output of the bot. Raises ClosedError."""
        if ready[0][0] != self._stdout:
            raise ClosedError("lost its supervisor", received)
        data = read(self._stdout, size)
        if not data:
            raise ClosedError("closed its standard output", received)
        return data

    def send(self, request: Request) -> None:
        """Send a message that has no answer; the next exchange reports a failure."""
        line = encode(request)
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            self.messages.append((TO_BOT, line))
            write(self._stdin, line)

    def refuse_unasked(self, request: Request) -> None:
        """Raise the failure of a bot that wrote something before a question, or ended."""
        if ready := self._wait(0):
            data = self._read(ready, READ_BYTES)
            self.messages.append((FROM_BOT, data))
            raise failures.unasked_output_failure(request, data)

    def is_idle(self) -> bool:
        """Return whether there is no output to read and the supervisor is alive."""
        return not self._wait(0)
