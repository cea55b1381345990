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
from ladder.signals import current_stop

SLICE_S = 0.25
"""Longest single wait for an answer that is not timed; one that takes twice as long means that the
harness was stopped (Ctrl-Z, a debugger)."""
TIMED_SLICE_S = 0.0025
"""The same for a timed answer after its budget."""
WAKE_S = 0.002
"""How late a wait may end without a stop: the kernel rounds timeouts up to milliseconds."""
NEVER_S = 1e6
TO_BOT, FROM_BOT = "> ", "< "
"""Prefixes of the recorded messages."""
READ_BYTES = 64 * 1024
"""Capacity of a pipe."""
USUAL_BYTES = 464
"""Size of the first read. Answers are hardly ever longer, and Python keeps blocks of up to 512
bytes (464 and the header of `bytes`) in its own allocator instead of calling malloc."""


class ChannelError(Exception):
    """The exchange of one line for one line failed."""

    def __init__(self, received: bytes = b"", event: str = "") -> None:
        super().__init__(received, event)
        self.received = received
        """The beginning of the answer, or too much of it."""
        self.event = event
        """What the bot did, as the predicate of a sentence."""


class NotReadError(ChannelError):
    """The bot did not read the whole line in time."""


class LateError(ChannelError):
    """No whole line came in time."""


class ClosedError(ChannelError):
    """A pipe is closed at its other end."""


class NotOneLineError(ChannelError):
    """More than one line came, or one that is too long."""


class LineChannel:
    """The pipes to and from one bot.

    Attributes:
        messages: the last messages, each with `TO_BOT` or `FROM_BOT`, oldest first.
        started_ns: start of the last exchange (`time.perf_counter_ns`).

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
        self._watched_ns = 0
        """Time after which a timed answer is due; more than any wait if it is not timed."""
        self._overslept_ns = self._due_ns = self._looked_ns = 0
        """Delays of wakes in the last timed exchange, when its last wait had to end, and when it
        began."""
        self._stdin = stdin
        self._stdout = stdout
        self._poll_output = current_stop().make_poll(stdout)
        self._wait = current_stop().make_poll(stdout, hang_up=supervisor)
        """Waits for output of the bot or the end of the supervisor."""
        unasked = select.poll()
        unasked.register(stdout, select.POLLIN)
        unasked.register(supervisor, select.POLLIN)
        self.poll_unasked = unasked.poll
        """Polls for output of the bot or the supervisor since the last answer."""

    def exchange(
        self, line: bytes, timeout_s: float, budget_s: float | None = None
    ) -> tuple[bytes, int]:
        """Send a line and wait for the line that answers it.

        Args:
            line: the question, with its line feed.
            timeout_s: how long to wait. An answer that is read later is returned as well.
            budget_s: time in which the answer is due, so that all delays of the harness are
                measured from there on (`overslept_us`); None for a question that is not timed.
                Before that, and at other questions, a time in which the harness was stopped does
                not count.

        Returns:
            The answer with its line feed, and the microseconds from just before the write until
            the whole answer was read.

        Raises:
            ChannelError: there was no answer of one line.

        """
        self.messages.append((TO_BOT, line))
        # Read the clock before the write: where harness and bot share one CPU, the kernel may run
        # the bot as soon as it can read, and the harness only milliseconds later.
        self.started_ns = started = perf_counter_ns()
        try:
            written = write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            raise ClosedError(event="closed its standard input") from None
        if written != len(line):
            self._write_rest(line[written:], timeout_s)
        watched_s = timeout_s if budget_s is None else budget_s
        first_s = watched_s if watched_s < SLICE_S else SLICE_S
        ready = self._wait(first_s * 1000)
        self._watched_ns = int(1e9 * (watched_s if budget_s is not None else NEVER_S))
        self._overslept_ns, self._looked_ns = 0, started
        self._due_ns = started + int(first_s * 1e9)
        if not ready:
            return self.read_line(b"", timeout_s)
        if ready[0][0] != self._stdout:
            raise ClosedError(event="lost its supervisor")
        data = read(self._stdout, USUAL_BYTES)
        if len(data) == USUAL_BYTES and self._poll_output(0):
            data += read(self._stdout, READ_BYTES)
        finished = perf_counter_ns()
        if not data:
            raise ClosedError(event="closed its standard output")
        self.messages.append((FROM_BOT, data))
        if data.find(b"\n") != len(data) - 1 and not _is_line(data):
            return self.read_line(data, timeout_s)
        if budget_s is not None:
            self._skip_stop(finished)
        return data, (finished - self.started_ns) // 1000

    def overslept_us(self, elapsed_us: int) -> int:
        """Return how much later than intended the harness woke up during a timed exchange.

        Args:
            elapsed_us: the time of the answer, or of the deadline that was missed.

        """
        late_ns = self.started_ns + elapsed_us * 1000 - self._due_ns
        return (self._overslept_ns + (late_ns if late_ns > WAKE_S * 1e9 else 0)) // 1000

    def unseen_us(self, elapsed_us: int) -> int:
        """Return the time up to an answer since the harness last found that there was none."""
        return elapsed_us - max(0, self._looked_ns - self.started_ns) // 1000

    def send(self, line: bytes) -> None:
        """Send a line that has no answer; the next exchange reports a failure."""
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            self.messages.append((TO_BOT, line))
            write(self._stdin, line)

    def read_unasked(self) -> bytes:
        """Return output that nothing asked for, which a poll has found; b"" at its end."""
        data = read(self._stdout, READ_BYTES)
        if data:
            self.messages.append((FROM_BOT, data))
        return data

    def is_idle(self) -> bool:
        """Return whether there is no output to read and the supervisor is alive."""
        return not self._wait(0)

    def _wait_more(self, timeout_s: float) -> list[tuple[int, int]]:
        """Wait in slices until a time after the start of the exchange."""
        while True:
            now_ns = perf_counter_ns()
            if self._skip_stop(now_ns) and now_ns - self._due_ns > WAKE_S * 1e9:
                self._overslept_ns += now_ns - self._due_ns
            elapsed_ns = now_ns - self.started_ns
            left_s = max(0.0, timeout_s - elapsed_ns / 1e9)
            unwatched_s = (self._watched_ns - elapsed_ns) / 1e9
            slice_s = min(left_s, SLICE_S, unwatched_s if unwatched_s > 0 else TIMED_SLICE_S)
            self._looked_ns, self._due_ns = now_ns, now_ns + int(slice_s * 1e9)
            found = self._wait(slice_s * 1000)
            if found or not left_s:
                self._skip_stop(perf_counter_ns())
                return found

    def _skip_stop(self, now_ns: int) -> bool:
        """Move the start of the exchange if the last wait shows that the harness was stopped.

        Not if it lasted until a timed answer was due or longer: its delay may excuse the bot, which
        need not have been stopped. Return whether this is so.
        """
        if self._due_ns - self.started_ns >= self._watched_ns - WAKE_S * 1e9:
            return True
        over_ns = now_ns - self._due_ns
        if over_ns > SLICE_S * 1e9:
            self.started_ns += over_ns
        return False

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
                raise ClosedError(event="closed its standard input") from None

    def read_line(self, data: bytes, timeout_s: float) -> tuple[bytes, int]:
        """Read on until there is a whole line, as `exchange` and after it was late.

        Args:
            data: the beginning of the answer.
            timeout_s: how long to wait, from the beginning of the exchange.

        """
        while True:
            ready = self._wait_more(timeout_s)
            if not ready:
                raise LateError(data)
            if ready[0][0] != self._stdout:
                raise ClosedError(event="lost its supervisor")
            more = read(self._stdout, READ_BYTES)
            if not more:
                raise ClosedError(data, "closed its standard output")
            if data:
                self.messages.pop()
            data += more
            self.messages.append((FROM_BOT, data))
            if _is_line(data):
                return data, (perf_counter_ns() - self.started_ns) // 1000


def _is_line(data: bytes) -> bool:
    """Return whether output is one whole line. Raises NotOneLineError if it is more than that."""
    end = data.find(b"\n")
    length = len(data) if end < 0 else end
    if length >= MAX_LINE or 0 <= end < len(data) - 1:
        raise NotOneLineError(data)
    return end >= 0
