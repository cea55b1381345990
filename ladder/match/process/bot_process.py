"""One bot process: start it, ask it under a deadline, end it.

    with BotProcess.start(start) as bot:
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NewGame(...), timeout_s=10)
        reply, elapsed_us = bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.15)

After any failure the process and all it started are gone, and the exception says what its author
needs to know. Linux 5.3 or later (pidfd).
"""

from __future__ import annotations

import time
from collections.abc import Callable
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
    excerpt,
    extra_output_failure,
    failure_after_end,
    is_reply,
    name_of,
    unasked_output_failure,
    unreadable,
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
"""How long a bot that closed its output may take to end, so that the cause can be named."""
WAKE_S = 0.002
"""How late a wait for an answer may end by itself: the kernel rounds it up to milliseconds."""
LONG_WAIT_S = 5.0
"""After so long a wait for a first answer, it is looked for in the bot's output buffer."""
AT_END_S = 1.0
"""How long a bot may take to write that buffer when its standard input is closed."""
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
        has_played: whether a game has begun with it.

    """

    def __init__(self, client: SupervisorClient, history: BotHistory, *, foreign: bool) -> None:
        self.alive = True
        self.failed = False
        self.has_played = False
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
    ) -> BotProcess:
        """Start a bot under a supervisor, without waiting for either.

        Args:
            start: the command, its folder, and the variables that it gets beside PATH, LANG, HOME,
                TMPDIR and the thread counts.
            confinement: its limits, the words before its command, the folder of its log.
            history: of the bot's former processes, and what is seen of this one.
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
        return cls(client, BotHistory() if history is None else history, foreign=start.foreign)

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
        channel = self._channel
        if news := channel.poll_unasked(0):
            self._take([descriptor for descriptor, _ in news], request)
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
            reply = parse_reply(data)
        except UNREADABLE:
            self._fail(unreadable(request, data))
        if type(reply) is not EXPECTED.get(type(request)):
            self._fail(wrong_reply_failure(request, reply))
        if type(reply) is MoveReply and type(request) is MoveAsk and reply.ply != request.ply:
            self._check_echo(request, reply.ply)
        return tuple.__new__(Answer, (reply, elapsed_us))

    def add_log_heading(self, line: str) -> None:
        """Put a line before whatever it writes to its stderr from now on."""
        self._client.add_log_heading(line)

    def report_silence(self, after_s: float, report: Callable[[], None]) -> None:
        """Call `report` once if the next answer takes longer than `after_s` seconds."""
        self._channel.report_silence(after_s, report)

    def begin_game(self) -> None:
        """Count processor time anew, against the limit and for the moves; after its `ready`."""
        self.has_played = True
        pid = self.pid
        if pid is not None:
            self._client.begin_game()
            self.tree.begin(pid)

    def pause(self) -> None:
        """Let none of its processes run until it is asked again, or asked to quit."""
        if self.alive:
            self.tree.stop()

    def send(self, request: Request) -> None:
        """Say something that has no answer, such as GameOver; a failure shows at the next `ask`."""
        if self.alive:
            self._channel.send(encode(request))

    def last_output(self) -> LastOutput:
        """The last messages with it, and once it has ended the end of its stderr."""
        return collect_last_output(self._client.report.stderr, self._channel.messages)

    def has_stray_output(self) -> bool:
        """Whether output lies there although nothing was asked, or the bot has ended.

        Without its supervisor it counts as ended.
        """
        return not self.alive or not self._channel.is_idle()

    def quit(self, timeout_s: float) -> bool:
        """Ask it to exit, kill it when it does not in time; True: it exited with 0."""
        if not self.alive:
            return False
        self.tree.resume()
        self.send(Quit())
        self._client.wait_ended(timeout_s)
        graceful = self._client.report.exited == 0
        self.kill()
        return graceful

    def request_end(self) -> None:
        """Have it end soon, from any thread; whoever waits for its answer finds that it crashed.

        It is still to be killed, by the thread that asks it.
        """
        self._client.request_end()

    def kill(self) -> None:
        """End it and everything it started, at once; nothing of it is left on return."""
        self.alive = False
        self._client.kill()

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def tree(self) -> ProcessTree:
        """The processor time of its processes, measured from `begin_game` on."""
        return self._meter.tree

    @property
    def stall(self) -> Stall | None:
        """The evidence of a missed deadline that was watched."""
        return self._meter.stall

    @property
    def overslept_us(self) -> int:
        """Time for which the harness was stopped while it waited for answers before a move."""
        return self._channel.overslept_us

    @property
    def pid(self) -> int | None:
        """The bot's process id; waits up to a second for its start; None: it did not."""
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

    def _fail_exchange(self, request: Request, timeout_s: float, error: ChannelError) -> NoReturn:
        """End a bot that did not answer a question with one line in time."""
        if isinstance(error, LateError):
            self._handle_missed_deadline(request, timeout_s, error.received)
        if isinstance(error, NotOneLineError):
            self._fail(extra_output_failure(request, error.received))
        if isinstance(error, ClosedError):
            half = f" after half a line: {excerpt(error.received)}" if error.received else ""
            self._ended(request, error.event, half)
        text = f"did not read its standard input for {timeout_s * 1000:.0f} ms"
        self._fail(BotTimeout(f"{text} when asked for {name_of(request)}"))

    def _take(self, descriptors: list[int], request: Request) -> None:
        """Read what has come since the last answer, before the next question."""
        client = self._client
        if client.status in descriptors:
            client.read_status(0)
            if client.report.has_children:
                self.tree.count_all()
            if client.report.closed and client.stdout not in descriptors:
                self._ended(request, "lost its supervisor")
        if client.stdout in descriptors:
            data = self._channel.read_unasked()
            if not data:
                self._ended(request, "closed its standard output")
            self._fail(unasked_output_failure(request, data))

    def _handle_missed_deadline(
        self, request: Request, timeout_s: float, data: bytes = b"", *, answered: bool = False
    ) -> NoReturn:
        """End a bot that missed a deadline, unless the harness itself was late to look.

        Args:
            request: the question.
            timeout_s: the deadline.
            data: the beginning of an answer.
            answered: whether there was a whole answer.

        """
        meter = self._meter
        late_s = (perf_counter_ns() - self._channel.started_ns) / 1e9 - timeout_s
        meter.miss(late_s)
        # A wait that ends with an answer ends before the deadline. Where it did not, the harness
        # was kept from polling, and the answer may have been there in time; unless it was the bot
        # itself that kept the processor busy until then.
        hogged = isinstance(request, MoveAsk) and meter.turn_s(ended=answered) >= timeout_s
        is_first_answer = not data and timeout_s >= LONG_WAIT_S and not _is_later_move(request)
        at_end = self._diagnose_buffering() if is_first_answer else ""
        self.kill()
        meter.add_outside()  # after SIGKILL, which is not to wait for it
        may_be_kept = late_s > (WAKE_S if answered else ASLEEP_S) and not hogged
        if may_be_kept and meter.excuses_harness(late_s):
            raise MachineStalled(
                f"the referee was stopped or delayed: it came {late_s * 1000:.0f} ms after "
                f"the deadline to look for the answer to {name_of(request)}"
            )
        spent = "" if meter.stall is None else f"; {describe_stall(meter.stall)}"
        half = f"; only half a line came: {excerpt(data)}" if data else ""
        text = f"no answer to {name_of(request)} within {timeout_s * 1000:.0f} ms{spent}{half}"
        self._fail(BotTimeout(text + at_end))

    def _diagnose_buffering(self) -> str:
        """Close the bot's standard input, and return what its output then says about the cause."""
        self._client.close_stdin()
        data = self._channel.read_unasked(AT_END_S)
        if data is None:
            return ""
        if not data:
            return f"; {ENDED_WITHOUT_ANSWER}"
        return f": {ANSWERED_AT_END}" if is_reply(data.splitlines()[0]) else ""

    def _check_echo(self, request: MoveAsk, ply: int | None) -> None:
        """The answer names another ply, or none."""
        if ply is not None:
            text = f"answered {name_of(request)} with the answer to ply {ply}"
            self._fail(BotProtocolError(text))

    def _ended(self, request: Request, seen: str, after: str = "") -> NoReturn:
        """A pipe is closed: find out why, and say so."""
        self._client.wait_ended(LAST_REPORT_S)
        self._fail(failure_after_end(self._client.report, request, seen, after))

    def _fail(self, failure: BotFailure) -> NoReturn:
        """End the bot and raise its failure with its last output."""
        self.failed = True
        self.kill()
        failure = append_stderr(failure, self._client.report.stderr)
        failure.last_words = self.last_output()
        raise failure


def _is_later_move(request: Request) -> bool:
    """Return whether the bot must have answered another move of its game before."""
    return isinstance(request, MoveAsk) and request.ply > 1
