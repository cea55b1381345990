"""One bot process: start it, ask it under a deadline, end it.

    with BotProcess.start(start) as bot:
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NewGame(...), timeout_s=10)
        reply, elapsed_us = bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.15)

Blocking and lean: a question costs four system calls (poll, write, poll, read). After any failure
the process and all it started are gone, and the exception says what its author needs to know.
Linux 5.3 or later (pidfd).
"""

from __future__ import annotations

import contextlib
import select
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from os import read, write
from pathlib import Path
from time import perf_counter_ns
from typing import NamedTuple, NoReturn

import msgspec

from bots.errors import ProtocolError
from bots.protocol import (
    MAX_LINE,
    UNREADABLE,
    Hello,
    HelloReply,
    MoveAsk,
    MoveReply,
    NewGame,
    Quit,
    Ready,
    Reply,
    Request,
    decode_reply,
    encode,
    parse_reply,
)
from db.records.games import MESSAGES_KEPT, LastWords
from db.records.launch import Start
from ladder.errors import BotFailure, BotProtocolError, BotTimeout, MachineStalled
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpu_wait import (
    Snapshot,
    Stall,
    how_spent,
    snapshot,
    stall_since,
    with_outside,
)
from ladder.match.process.failures import (
    ANSWERED_AT_END,
    DEBUG_OUTPUT,
    ENDED_WITHOUT_ANSWER,
    excerpt,
    failure_at_end,
    is_reply,
    last_words,
    name_of,
    several_lines,
    with_last_words,
    wrong_answer,
)
from ladder.match.process.family import Conduct, ProcessFamily
from ladder.match.process.outside import OutsideClocks
from ladder.match.process.supervisor_client import SupervisorClient
from ladder.signals import Poll, poll_of

LAST_REPORT_S = 0.1
"""How long a bot that closed its output may take to end, so that the cause can be named."""
WAKE_S = 0.002
"""How late a wait for an answer may end by itself: the kernel rounds it up to milliseconds."""
LONG_WAIT_S = 5.0
"""After so long a wait for a first answer, it is looked for in the bot's output buffer."""
AT_END_S = 1.0
"""How long a bot may take to write that buffer when its standard input is closed."""
SLICE_MS = 250.0
"""Longest single wait; one that takes much longer means that the harness was stopped."""
ASLEEP_S = 0.25
"""Waking so late after a deadline, we were stopped (Ctrl-Z, a debugger) or the machine slept."""
KEPT_SHARE = 0.8
"""Share of the harness's lateness that must be explained by what no bot can cause."""
TO_BOT, FROM_BOT = "> ", "< "
"""Signs before the messages that are kept."""
READ_BYTES = 64 * 1024
"""All that the pipe from a bot holds."""
USUAL_BYTES = 464
"""Read from a bot at first: hardly an answer is longer, and Python keeps room for results of this
size at hand, while larger ones go to the C library and back."""
EXPECTED: dict[type[Request], type[Reply]] = {
    Hello: HelloReply,
    NewGame: Ready,
    MoveAsk: MoveReply,
}
"""The answer that belongs to each question."""


class Answer(NamedTuple):
    """A bot's answer and the time that it took."""

    reply: Reply
    elapsed_us: int
    """From just before our write to the reading of the whole line."""


class BotProcess:
    """A running bot; but for `let_go` not for several threads at a time.

    Also a context manager that kills it.

    Attributes:
        alive: whether it may be asked; False after `kill`, `quit` and every failure.
        failed: whether it was ended for a failure.
        stall: the evidence of a missed deadline that was watched.
        has_played: whether a game has begun with it.
        family: the processor time of its processes, measured from `begin_game` on.

    """

    def __init__(self, client: SupervisorClient, conduct: Conduct, *, foreign: bool) -> None:
        self.alive = True
        self.failed = False
        self.stall: Stall | None = None
        self.has_played = False
        self.family = ProcessFamily(client.popen.pid, conduct, foreign=foreign, group=client.group)
        self._client = client
        self._stdin = client.stdin
        self._stdout = client.stdout
        self._poll = poll_of(self._stdout)
        self._wait = poll_of(self._stdout, hang_up=client.status)
        """A poll of the standard output that ends also with the supervisor."""
        self._wait_to_be_ready = self._in_slices(self._wait)
        """The same for the answers before the first move."""
        self.overslept_us = 0
        """Time for which the harness was stopped while it waited for this process."""
        self._news = select.poll()
        """The sources of news since the last answer: output, and the supervisor's lines."""
        self._news.register(self._stdout, select.POLLIN)
        self._news.register(client.status, select.POLLIN)
        self._look = self._news.poll
        self._snapshot: Snapshot | None = None
        self._outside = OutsideClocks()
        self._messages: deque[tuple[str, bytes]] = deque(maxlen=MESSAGES_KEPT)
        """The last ones as they were sent, each behind the sign of who did."""

    @classmethod
    def start(
        cls,
        start: Start,
        confinement: Confinement,
        conduct: Conduct | None = None,
        *,
        name: str = "bot",
    ) -> BotProcess:
        """Start a bot under a supervisor, without waiting for either.

        Args:
            start: the command, its folder, and the variables that it gets beside PATH, LANG, HOME,
                TMPDIR and the thread counts.
            confinement: its limits, the words before its command, the folder of its log.
            conduct: of the bot's former processes, and what is seen of this one.
            name: what its log is called after.

        Raises:
            OSError: no process can be made, or the log folder cannot.
            ValueError: the bounds allow no foreign bot, and this is one.

        """
        if start.foreign and not confinement.allows_foreign:
            raise ValueError(f"no foreign bot may be started here, got {start.argv}")
        limits = confinement.limits
        if limits.address_mb is None and start.address_mb is not None:
            limits = msgspec.structs.replace(limits, address_mb=start.address_mb)
            confinement = replace(confinement, limits=limits)
        client = SupervisorClient.start(
            start.argv, start.folder, confinement, environment=dict(start.environment), name=name
        )
        return cls(client, Conduct() if conduct is None else conduct, foreign=start.foreign)

    def ask(self, request: Request, *, timeout_s: float, watch_runqueue: bool = False) -> Answer:
        """Put a question and wait for its answer.

        With `watch_runqueue` a missed deadline leaves in `stall` who was kept from running; this
        costs some 50 us before the question, off the clock, and up to 2 % of the time for the
        clocks of other processes.

        The clock is monotonic; an answer that is there after `timeout_s` seconds is too late even
        when it can still be read.

        Raises:
            BotTimeout: no whole answer within the deadline, or the question was not read.
            BotCrash: the process ended, closed its output, passed a limit, or gave up.
            BotProtocolError: the answer, or output that lay there before, is not allowed.
            BotMemory: it was ended for passing its memory limit.
            MachineStalled: the harness was kept from polling at the deadline, so it is not known
                whether the answer was late.
            RuntimeError: it was asked although it is not `alive`.

        """
        if not self.alive:
            raise RuntimeError("a bot that has ended was asked")
        if news := self._look(0):
            self._take(news, request)
        line = encode(request)
        note = self._messages.append
        note((TO_BOT, line))
        kind = type(request)
        family = self.family
        if kind is MoveAsk:
            family.begin_turn()
        else:
            family.resume()
        self._snapshot = (
            snapshot(self.supervisor_pid, ended=family.counts_all, outside=self._outside.read())
            if watch_runqueue
            else None
        )
        left_s = timeout_s
        # Before the write: on a CPU of its own with the bot, the harness is put aside as soon as
        # the bot can read, for up to a scheduler tick of some milliseconds.
        started = perf_counter_ns()
        try:
            written = write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self._ended(request, "closed its standard input")
        if written != len(line):
            self._write_rest(request, line[written:], started, timeout_s)
            left_s = max(0.0, timeout_s - (perf_counter_ns() - started) / 1e9)
        wait = self._wait if kind is MoveAsk else self._wait_to_be_ready
        if not (ready := wait(left_s * 1000)):
            self._too_late(request, timeout_s, started)
        if ready[0][0] != self._stdout:
            self._ended(request, "lost its supervisor")
        data = read(self._stdout, USUAL_BYTES)
        if len(data) == USUAL_BYTES and self._poll(0):
            data += read(self._stdout, READ_BYTES)
        finished = perf_counter_ns()
        note((FROM_BOT, data))
        if data.find(b"\n") != len(data) - 1 or not data:
            data = self._read_rest(request, data, started, timeout_s)
            finished = perf_counter_ns()
        elapsed_us = (finished - started) // 1000
        if kind is MoveAsk:
            family.end_turn()
        if elapsed_us > timeout_s * 1e6:
            self._too_late(request, timeout_s, started, answered=True)
        try:
            reply = parse_reply(data)
        except UNREADABLE:
            self._unreadable(request, data)
        if type(reply) is not EXPECTED.get(kind):
            self._fail(wrong_answer(request, reply))
        if type(reply) is MoveReply and type(request) is MoveAsk and reply.ply != request.ply:
            self._check_echo(request, reply.ply)
        return tuple.__new__(Answer, (reply, elapsed_us))

    def head_log(self, line: str) -> None:
        """Put a line before whatever it writes to its stderr from now on."""
        self._client.head_log(line)

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

    def report_silence(self, after_s: float, report: Callable[[], None]) -> None:
        """Call `report` once if the next answer takes longer than `after_s` seconds."""
        former, after_ms = (self._wait, self._wait_to_be_ready), after_s * 1000

        def reporting(poll: Poll) -> Poll:
            def wait(timeout_ms: float) -> list[tuple[int, int]]:
                if timeout_ms <= after_ms:
                    return poll(timeout_ms)
                self._wait, self._wait_to_be_ready = former
                if found := poll(after_ms):
                    return found
                report()
                return poll(timeout_ms - after_ms)

            return wait

        self._wait, self._wait_to_be_ready = map(reporting, former)

    def begin_game(self) -> None:
        """Count processor time anew, against the limit and for the moves; after its `ready`."""
        self.has_played = True
        pid = self.pid
        if pid is not None:
            self._client.begin_game()
            self.family.begin(pid)

    def hold(self) -> None:
        """Let none of its processes run until it is asked again, or asked to quit."""
        if self.alive:
            self.family.stop()

    def tell(self, request: Request) -> None:
        """Say something that has no answer, such as GameOver; a failure shows at the next `ask`."""
        if self.alive:
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                line = encode(request)
                self._messages.append((TO_BOT, line))
                write(self._stdin, line)

    def last_words(self) -> LastWords:
        """The last messages with it, and once it has ended the end of its stderr."""
        return last_words(self._client.report.stderr, self._messages)

    def has_stray_output(self) -> bool:
        """Whether output lies there although nothing was asked, or the bot has ended.

        Without its supervisor it counts as ended.
        """
        return not self.alive or bool(self._wait(0))

    def quit(self, timeout_s: float) -> bool:
        """Ask it to exit, kill it when it does not in time; True: it exited with 0."""
        if not self.alive:
            return False
        self.family.resume()
        self.tell(Quit())
        self._client.wait_ended(timeout_s)
        graceful = self._client.report.exited == 0
        self.kill()
        return graceful

    def let_go(self) -> None:
        """Have it end soon, from any thread; whoever waits for its answer finds that it crashed.

        It is still to be killed, by the thread that asks it.
        """
        self._client.let_go()

    def kill(self) -> None:
        """End it and everything it started, at once; nothing of it is left on return."""
        self.alive = False
        self._client.kill()

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int | None:
        """The bot's process id; waits up to a second for its start; None: it did not."""
        client = self._client
        deadline = time.monotonic() + 1
        while self.alive and client.report.pid is None and not client.report.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            client.listen(left)
        return client.report.pid

    @property
    def supervisor_pid(self) -> int:
        """The process id of the supervisor."""
        return self._client.popen.pid

    @property
    def group(self) -> str:
        """The folder of its control group, which exists if one could be made; empty if not."""
        return self._client.group

    @property
    def log_path(self) -> Path | None:
        """Where its stderr goes; the file exists once it wrote something."""
        return self._client.log_path

    @property
    def scratch(self) -> Path:
        """The bot's HOME and TMPDIR, removed when it ends."""
        return Path(self._client.scratch)

    def _write_rest(self, request: Request, rest: bytes, started: int, timeout_s: float) -> None:
        """The pipe is full: go on as the bot reads, within the same deadline."""
        poll = poll_of(self._stdin, select.POLLOUT)
        while rest:
            left = timeout_s - (perf_counter_ns() - started) / 1e9
            if left <= 0 or not poll(left * 1000):
                text = f"did not read its standard input for {timeout_s * 1000:.0f} ms"
                self._fail(BotTimeout(f"{text} when asked for {name_of(request)}"))
            try:
                rest = rest[write(self._stdin, rest) :]
            except BrokenPipeError:
                self._ended(request, "closed its standard input")

    def _read_rest(self, request: Request, data: bytes, started: int, timeout_s: float) -> bytes:
        """Not exactly one line at once: wait for its end, or say what is wrong with it."""
        while True:
            if not data:
                self._ended(request, "closed its standard output")
            end = data.find(b"\n")
            if end >= MAX_LINE or (end < 0 and len(data) >= MAX_LINE):
                text = f"answered {name_of(request)} with a line over {MAX_LINE // 1024} KiB"
                self._fail(BotProtocolError(f"{text}: {excerpt(data)}"))
            if end == len(data) - 1:
                return data
            if end >= 0:
                self._fail(several_lines(request, data))
            left = timeout_s - (perf_counter_ns() - started) / 1e9
            if left <= 0 or not (ready := self._wait(left * 1000)):
                self._too_late(request, timeout_s, started, data)
            if ready[0][0] != self._stdout:
                self._ended(request, "lost its supervisor")
            more = read(self._stdout, READ_BYTES)
            if not more:
                after = f" after half a line: {excerpt(data)}"
                self._ended(request, "closed its standard output", after)
            data += more
            self._messages[-1] = (FROM_BOT, data)

    def _take(self, news: list[tuple[int, int]], request: Request) -> None:
        """Take what has come since the last answer, before the next question."""
        descriptors = [descriptor for descriptor, _ in news]
        if self._client.status in descriptors:
            self._client.listen(0)
            if self._client.report.has_family:
                self.family.count_all()
            if self._client.report.closed and self._stdout not in descriptors:
                self._ended(request, "lost its supervisor")
        if self._stdout in descriptors:
            self._spoke_unasked(request)

    def _spoke_unasked(self, request: Request) -> NoReturn:
        data = read(self._stdout, READ_BYTES)
        if not data:
            self._ended(request, "closed its standard output")
        self._messages.append((FROM_BOT, data))
        text = f"wrote {excerpt(data)} although nothing was asked, before {name_of(request)}"
        hint = "" if all(map(is_reply, data.splitlines())) else f"; {DEBUG_OUTPUT}"
        self._fail(BotProtocolError(text + hint))

    def _too_late(
        self,
        request: Request,
        timeout_s: float,
        started: int,
        data: bytes = b"",
        *,
        answered: bool = False,
    ) -> NoReturn:
        late_s = (perf_counter_ns() - started) / 1e9 - timeout_s
        if self._snapshot is not None:
            self.stall = stall_since(self.supervisor_pid, self._snapshot, int(late_s * 1e6))
        # A wait that ends with an answer ends before the deadline. Where it did not, the harness
        # was kept from polling, and the answer may have been there in time; unless it was the bot
        # itself that kept the processor busy until then.
        hogged = isinstance(request, MoveAsk) and self._used_s(answered) >= timeout_s
        is_first_answer = not data and timeout_s >= LONG_WAIT_S and not _is_later_move(request)
        at_end = self._found_at_end() if is_first_answer else ""
        self.kill()
        if self.stall is not None and self._snapshot is not None:
            # Only now, for it takes milliseconds, and SIGKILL is not to wait for it.
            self.stall = with_outside(self.stall, self.supervisor_pid, self._snapshot)
        if late_s > (WAKE_S if answered else ASLEEP_S) and not hogged and self._was_kept(late_s):
            raise MachineStalled(
                f"the referee was stopped or kept waiting: it came {late_s * 1000:.0f} ms after "
                f"the deadline to look for the answer to {name_of(request)}"
            )
        spent = "" if self.stall is None else f"; {how_spent(self.stall)}"
        half = f"; only half a line came: {excerpt(data)}" if data else ""
        text = f"no answer to {name_of(request)} within {timeout_s * 1000:.0f} ms{spent}{half}"
        self._fail(BotTimeout(text + at_end))

    def _was_kept(self, late_s: float) -> bool:
        """Return whether the harness polled late through no fault of the bot, if that is known."""
        stall = self.stall
        if stall is None:
            return True
        kept_us = stall.stopped_us + max(stall.stolen_us, min(stall.harness_us, stall.outside_us))
        return kept_us >= KEPT_SHARE * late_s * 1e6

    def _found_at_end(self) -> str:
        """Close the bot's standard input, and return what its output then says about the cause."""
        self._client.close_stdin()
        if not self._poll(AT_END_S * 1000):
            return ""
        data = read(self._stdout, READ_BYTES)
        if not data:
            return f"; {ENDED_WITHOUT_ANSWER}"
        self._messages.append((FROM_BOT, data))
        return f": {ANSWERED_AT_END}" if is_reply(data.splitlines()[0]) else ""

    def _used_s(self, answered: bool) -> float:
        """Processor time of the present turn, or of the one that an answer has just ended."""
        family = self.family
        return (family.turn_us if answered else family.turn_so_far_us()) / 1e6

    def _check_echo(self, request: MoveAsk, ply: int | None) -> None:
        """The answer names another ply, or none."""
        if ply is not None:
            text = f"answered {name_of(request)} with the answer to ply {ply}"
            self._fail(BotProtocolError(text))

    def _unreadable(self, request: Request, data: bytes) -> NoReturn:
        """The answer is not one of the protocol: say why."""
        try:
            decode_reply(data)
        except ProtocolError as error:
            text = f"{error}, as the answer to {name_of(request)}"
            hint = "" if data.lstrip().startswith(b"{") else f"; {DEBUG_OUTPUT}"
            self._fail(BotProtocolError(text + hint), error)
        raise AssertionError("an answer was unreadable once and not again")

    def _ended(self, request: Request, seen: str, after: str = "") -> NoReturn:
        """A pipe is closed: find out why, and say so."""
        self._client.wait_ended(LAST_REPORT_S)
        self._fail(failure_at_end(self._client.report, request, seen, after))

    def _fail(self, failure: BotFailure, cause: BaseException | None = None) -> NoReturn:
        """End the bot, then raise the failure, with the bot's last words."""
        self.failed = True
        self.kill()
        failure = with_last_words(failure, self._client.report.stderr)
        failure.last_words = self.last_words()
        raise failure from cause


def _is_later_move(request: Request) -> bool:
    """Return whether the bot must have answered another move of its game before."""
    return isinstance(request, MoveAsk) and request.ply > 1
