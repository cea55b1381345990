"""One bot process: start it, ask it questions under deadlines, end it.

    with BotProcess.start(start) as bot:
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NewGame(...), timeout_s=10)
        reply, elapsed_us = bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.15)

After a failure the process and everything it started are gone, and the exception holds what the
bot's author needs to know. Needs Linux 5.3 or later (pidfd).
"""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns
from typing import NamedTuple, NoReturn

import msgspec

from bots.protocol import (
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
    encode,
    parse_reply,
)
from db.records.games import LastOutput
from db.records.launch import Start
from ladder.errors import BotFailure, BotProtocolError, BotTimeout, MachineStalled
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpu_meter import CpuMeter
from ladder.match.process.cpu_wait import Stall, describe_stall
from ladder.match.process.failures import (
    ANSWERED_AT_END,
    ENDED_WITHOUT_ANSWER,
    append_stderr,
    collect_last_output,
    describe_half_line,
    describe_request,
    excerpt,
    extra_output_failure,
    failure_after_end,
    is_reply,
    unasked_output_failure,
    unreadable_failure,
    wrong_reply_failure,
)
from ladder.match.process.line_channel import (
    ASLEEP_S,
    ChannelError,
    ClosedError,
    LateError,
    LineChannel,
    NotOneLineError,
)
from ladder.match.process.process_tree import BotHistory, ProcessTree
from ladder.match.process.supervisor_client import SupervisorClient

LAST_REPORT_S = 0.1
"""How long to wait for the end of a bot that closed its output: its exit status is the cause."""
WAKE_S = 0.002
"""How late a wait may end without a stall: the kernel rounds timeouts up to milliseconds."""
LONG_WAIT_S = 5.0
"""Shortest deadline after which a missing first answer is searched in the bot's output buffer."""
LATE_S = 2.0
"""How long a late answer is waited for before that, to tell a slow bot from a silent one."""
AT_END_S = 1.0
"""How long a bot may take to flush that buffer once its standard input is closed."""
EXPECTED: dict[type[Request], type[Reply]] = {
    Hello: HelloReply,
    NewGame: Ready,
    MoveAsk: MoveReply,
}
"""The type of answer to each type of question."""


class Answer(NamedTuple):
    """A bot's answer and its time."""

    reply: Reply
    elapsed_us: int
    """From just before the question is written until the whole answer is read."""


class BotProcess:
    """A running bot, and a context manager that kills it.

    Only `request_end` may be called from another thread than the one that asks.

    Attributes:
        alive: whether it may be asked; False after `kill`, `quit` and every failure.
        failed: whether it was ended for a failure.
        has_played: whether it has begun a game.

    """

    def __init__(
        self,
        client: SupervisorClient,
        history: BotHistory,
        *,
        foreign: bool,
        long_wait_s: float = LONG_WAIT_S,
    ) -> None:
        self.alive = True
        self.failed = False
        self.has_played = False
        self._long_wait_s = long_wait_s
        self._client = client
        self._channel = LineChannel(client.stdin, client.stdout, client.status)
        self._meter = CpuMeter(client, history, foreign=foreign)

    @classmethod
    def start(
        cls,
        start: Start,
        confinement: Confinement,
        history: BotHistory | None = None,
        *,
        name: str = "bot",
        long_wait_s: float = LONG_WAIT_S,
    ) -> BotProcess:
        """Start a bot under a supervisor, without waiting for either.

        Args:
            start: the command, its folder, and its variables besides PATH, LANG, HOME, TMPDIR and
                the thread counts.
            confinement: its limits, sandbox and log folder.
            history: observations of the bot's earlier processes, updated by this one.
            name: the beginning of its log file's name.
            long_wait_s: as LONG_WAIT_S.

        Raises:
            OSError: the process or the log folder cannot be created.
            ValueError: the bot is foreign, and `confinement` allows no foreign bots.

        """
        if start.foreign and not confinement.allows_foreign:
            raise ValueError(f"a foreign bot was started where none is allowed: {start.argv}")
        limits = confinement.limits
        if limits.address_mb is None and start.address_mb is not None:
            limits = msgspec.structs.replace(limits, address_mb=start.address_mb)
            confinement = replace(confinement, limits=limits)
        client = SupervisorClient.start(
            start.argv,
            start.folder,
            confinement,
            environment=dict(start.environment),
            name=name,
            copied=start.copied,
        )
        history = BotHistory() if history is None else history
        return cls(client, history, foreign=start.foreign, long_wait_s=long_wait_s)

    def ask(self, request: Request, *, timeout_s: float, watch_runqueue: bool = False) -> Answer:
        """Ask a question and wait for its answer.

        Args:
            request: the question.
            timeout_s: deadline on a monotonic clock; an answer that comes later is too late even
                if it can still be read.
            watch_runqueue: whether a missed deadline records in `stall` which processes had to
                wait for a processor. Costs some 50 us before the clock starts, and up to 2 % of
                the time for reading the CPU clocks of other processes.

        Raises:
            BotTimeout: no whole answer came in time, or the bot did not read the question.
            BotCrash: the process ended, closed its output, started too many processes, or gave
                up.
            BotMemory: the bot exceeded its memory limit.
            BotIllegalMove: the host of a course program reported its move as illegal.
            BotProtocolError: the answer, or output before the question, is not allowed.
            MachineStalled: the harness itself was delayed at the deadline, so it is unknown
                whether the answer was late; or the bot lost its supervisor.
            RuntimeError: the bot is not `alive`.

        """
        if not self.alive:
            raise RuntimeError("a bot that has ended was asked")
        channel = self._channel
        if events := channel.poll_unasked(0):
            self._handle_unasked([descriptor for descriptor, _ in events], request)
        is_move = type(request) is MoveAsk
        self._meter.begin(is_move=is_move, watch=watch_runqueue)
        try:
            data, elapsed_us = channel.exchange(encode(request), timeout_s, patient=not is_move)
        except ChannelError as error:
            self._fail_exchange(request, timeout_s, error)
        if is_move:
            self._meter.tree.end_turn()
        if elapsed_us > timeout_s * 1e6:
            self._handle_missed_deadline(request, timeout_s, answered=True)
        try:
            reply = parse_reply(data.removeprefix(BOM_UTF8))
        except UNREADABLE:
            self._fail(unreadable_failure(request, data))
        if type(reply) is not EXPECTED.get(type(request)):
            self._fail(wrong_reply_failure(request, reply))
        if (
            type(reply) is MoveReply
            and type(request) is MoveAsk
            and reply.ply != request.ply
            and reply.ply is not None
        ):
            text = f"answered {describe_request(request)} with the answer to ply {reply.ply}"
            self._fail(BotProtocolError(text))
        # Like Answer(reply, elapsed_us), without the cost of its Python-level constructor.
        return tuple.__new__(Answer, (reply, elapsed_us))

    def add_log_heading(self, line: str) -> None:
        """Write a line into the log before the bot's next stderr output."""
        self._client.add_log_heading(line)

    def begin_game(self) -> None:
        """Restart the measurement of processor time; call it after the bot's `ready`."""
        self.has_played = True
        pid = self.pid
        if pid is not None:
            self.tree.begin(pid)

    def pause(self) -> None:
        """Stop all its processes until it is asked again or asked to quit."""
        if self.alive:
            self.tree.stop()

    def send(self, request: Request) -> None:
        """Send a message without an answer, such as GameOver; the next `ask` reports a failure."""
        if self.alive:
            self._channel.send(encode(request))

    def last_output(self) -> LastOutput:
        """Return the last protocol messages and, once the bot has ended, the end of its stderr."""
        return collect_last_output(self._client.report.stderr, self._channel.messages)

    def is_unusable(self) -> bool:
        """Return whether the bot wrote something unasked, has ended or lost its supervisor."""
        return not self.alive or not self._channel.is_idle()

    def quit(self, timeout_s: float) -> bool:
        """Ask the bot to exit, kill it at the timeout, and return whether it exited with 0."""
        if not self.alive:
            return False
        self.tree.resume()
        self.send(Quit())
        self._client.wait_ended(timeout_s)
        graceful = self._client.report.exited == 0
        self.kill()
        return graceful

    def request_end(self) -> None:
        """Make the bot end soon; may be called from any thread.

        A pending `ask` then raises `BotCrash`, and its thread still has to call `kill`.
        """
        self._client.request_end()

    def kill(self) -> None:
        """Kill the bot and everything it started; nothing of it is left on return."""
        self.alive = False
        self._client.kill()

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def tree(self) -> ProcessTree:
        """The bot's processes, with their processor time since `begin_game`."""
        return self._meter.tree

    @property
    def stall(self) -> Stall | None:
        """The evidence of the last missed deadline, or None if it was not watched."""
        return self._meter.stall

    @property
    def overslept_us(self) -> int:
        """Time for which the harness was stopped while it waited for answers other than moves."""
        return self._channel.overslept_us

    @property
    def pid(self) -> int | None:
        """The bot's process id, or None if it does not start within a second."""
        client = self._client
        deadline = time.monotonic() + 1
        while self.alive and client.report.pid is None and not client.report.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            client.read_status(left)
        return client.report.pid

    @property
    def supervisor_pid(self) -> int:
        """The process id of the supervisor."""
        return self._client.popen.pid

    @property
    def group(self) -> str:
        """The folder planned for its control group, or "" if it has none.

        The folder does not exist if the group could not be created.
        """
        return self._client.group

    @property
    def log_path(self) -> Path | None:
        """The file of its stderr, created with the first output; None if nothing is logged."""
        return self._client.log_path

    @property
    def scratch(self) -> Path:
        """The bot's HOME and TMPDIR, removed when it ends."""
        return Path(self._client.scratch)

    def _fail_exchange(self, request: Request, timeout_s: float, error: ChannelError) -> NoReturn:
        """Turn the failure of an exchange into the failure of the bot, and raise it."""
        if isinstance(error, LateError):
            self._handle_missed_deadline(request, timeout_s, error.received)
        if isinstance(error, NotOneLineError):
            self._fail(extra_output_failure(request, error.received))
        if isinstance(error, ClosedError):
            half = f" after half a line: {excerpt(error.received)}" if error.received else ""
            self._fail_ended(request, error.event, half)
        text = f"did not read its standard input for {_format_limit(timeout_s)}"
        self._fail(BotTimeout(f"{text} when asked for {describe_request(request)}"))

    def _handle_unasked(self, descriptors: list[int], request: Request) -> None:
        """Handle output of the bot or its supervisor that came before a question."""
        client = self._client
        if client.status in descriptors:
            client.read_status(0)
            if client.report.has_children:
                self.tree.count_all()
            if client.report.closed and client.stdout not in descriptors:
                self._fail_ended(request, "lost its supervisor")
        if client.stdout in descriptors:
            data = self._channel.read_unasked()
            if not data:
                self._fail_ended(request, "closed its standard output")
            self._fail(unasked_output_failure(request, data))

    def _handle_missed_deadline(
        self, request: Request, timeout_s: float, data: bytes = b"", *, answered: bool = False
    ) -> NoReturn:
        """Kill a bot that missed a deadline, and raise why.

        Args:
            request: the question.
            timeout_s: the deadline.
            data: the beginning of an answer.
            answered: whether a whole answer came, though late.

        Raises:
            BotTimeout: the bot was late.
            MachineStalled: the harness itself was delayed.

        """
        meter = self._meter
        late_s = (perf_counter_ns() - self._channel.started_ns) / 1e9 - timeout_s
        meter.record_missed_deadline(late_s)
        # A poll that returns long after the deadline means that the harness did not run, so the
        # answer may have come in time. Not if the bot computed for the whole time: on a shared
        # processor it is then the bot that kept the harness from running.
        computed = isinstance(request, MoveAsk) and meter.turn_s(ended=answered) >= timeout_s
        may_be_first = not (isinstance(request, MoveAsk) and request.ply > 1)
        may_buffer = not data and timeout_s >= self._long_wait_s and may_be_first
        advice = self._diagnose_buffering() if may_buffer else ""
        self.kill()
        meter.add_outside()  # takes milliseconds, so only after the bot was killed
        polled_late = late_s > (WAKE_S if answered else ASLEEP_S) and not computed
        if polled_late and meter.excuses_harness(late_s):
            raise MachineStalled(
                f"the referee was stopped or delayed: it read the answer to "
                f"{describe_request(request)} only {late_s * 1000:.0f} ms after the deadline"
            )
        spent = "" if meter.stall is None else f"; {describe_stall(meter.stall)}"
        half = f"; {describe_half_line(data)}" if data else ""
        question = describe_request(request)
        text = f"no answer to {question} within {_format_limit(timeout_s)}{spent}{half}{advice}"
        self._fail(BotTimeout(text))

    def _diagnose_buffering(self) -> str:
        """Return advice if an answer comes late, or when the bot's standard input is closed."""
        began = time.monotonic()
        if (data := self._channel.read_unasked(LATE_S)) is not None:
            late_s = time.monotonic() - began
            return f"; its answer came {late_s:.1f} s later" if data else ""
        self._client.close_stdin()
        if (data := self._channel.read_unasked(AT_END_S)) is None:
            return ""
        if not data:
            return f"; {ENDED_WITHOUT_ANSWER}"
        return f": {ANSWERED_AT_END}" if is_reply(data.splitlines()[0]) else ""

    def _fail_ended(self, request: Request, seen: str, after: str = "") -> NoReturn:
        """Raise the failure of a bot that closed a pipe, with the cause its supervisor reports.

        Raises:
            BotFailure: it ended by its own fault.
            MachineStalled: it lost its supervisor.

        """
        self._client.wait_ended(LAST_REPORT_S)
        if fault := self._client.report.fault:
            self.kill()
            raise MachineStalled(f"a bot was lost at {describe_request(request)}: {fault}")
        self._fail(failure_after_end(self._client.report, request, seen, after))

    def _fail(self, failure: BotFailure) -> NoReturn:
        """Kill the bot and raise its failure with its last output."""
        self.failed = True
        self.kill()
        failure = append_stderr(failure, self._client.report.stderr)
        failure.last_output = self.last_output()
        raise failure


def _format_limit(timeout_s: float) -> str:
    return f"{timeout_s:g} s" if timeout_s >= 1 else f"{timeout_s * 1000:.0f} ms"
