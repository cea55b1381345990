"""One bot process: start it, ask it questions under deadlines, end it.

    with BotProcess.start(start) as bot:
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NewGame(...), timeout_s=10)
        reply, own_us, _ = bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.15, is_timed=True)

After a failure the process and everything it started are gone, and the exception holds what the
bot's author needs to know. Needs Linux 5.3 or later (pidfd).
"""

from __future__ import annotations

import errno
from codecs import BOM_UTF8
from typing import Any, Generic, NamedTuple, TypeVar, overload

from msgspec.structs import asdict

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
    Resign,
    parse_reply,
)
from db.records.games import LastOutput
from db.records.launch import Limits, Start
from ladder.errors import BotCrash, BotFailure, BotTimeout, MachineStalled
from ladder.match.process import failures
from ladder.match.process.faults import FREE_MACHINE, machine_fault
from ladder.match.process.lateness import Delay, DelayWatch
from ladder.match.process.limits import LimitMonitor
from ladder.match.process.line_channel import ClosedError, LineChannel
from ladder.match.process.optional_values import decode_usable
from ladder.match.process.process_tree import BotHistory, ProcessTree
from ladder.match.process.sandbox import Confinement
from ladder.match.process.supervisor_client import EndCause, SupervisorClient
from ladder.match.process.wakeups import ask_for_early_wakeups

START_S = 1.0
"""How long to wait for the report that a bot has started, which comes before its answers."""
LAST_REPORT_S = 0.1
"""How long to wait for the end of a bot that closed its output: its exit status is the cause."""
MEASURED_FROM_US = 2000
"""Time from which an answer's own time is measured, which takes some 50 us: no shorter delay is
worth it."""
BRIEF_US = 1000
"""Delay of an answer up to which readings come more and more rarely."""
LONGEST_WAIT, LEAST_WAIT_S = 20, 1.0
"""How long an answer is awaited while waits explain its delay: this multiple of its limit, but at
least this much longer."""
EXPECTED: dict[type[Request], tuple[type[Reply], ...]] = {
    Hello: (HelloReply,),
    NewGame: (Ready,),
    MoveAsk: (MoveReply, Resign),
}
"""The types of answers to each type of question."""
Question = Hello | NewGame | MoveAsk
R_co = TypeVar("R_co", bound=Reply, covariant=True)


class TimedReply(NamedTuple, Generic[R_co]):
    """A bot's answer and its time."""

    reply: R_co
    own_us: int
    """The bot's own time: from just before the question is written until the whole answer is read,
    without what the machine explains (`ladder.match.process.lateness`)."""
    is_excused: bool = False
    """Whether it came late, and the machine explains the delay."""


MoveAnswer = TimedReply[MoveReply | Resign]


class BotProcess:
    """A running bot, and a context manager that kills it.

    Not shared between threads.

    Attributes:
        alive: whether it may be asked; False after `kill`, `quit` and every failure.
        failed: whether it was ended for a failure.
        supervisor: the harness's end of its supervisor.
        unusable: the last optional value in a move that could not be used; "" for none.
        tree: the bot's processes, with their processor time since `begin_game`.

    """

    def __init__(
        self, client: SupervisorClient, history: BotHistory, limits: Limits, *, foreign: bool
    ) -> None:
        self.alive = True
        self.failed = False
        self.unusable = ""
        self._has_played = False
        """Whether it was asked for a game before, so that it has loaded."""
        self._limits = limits
        self.supervisor = client
        self._channel = LineChannel(
            client.stdin, client.stdout, client.connection.fileno(), self._handle_silence
        )
        self._watch: DelayWatch | None = None
        """Measures what delays the answer to the last question; None if nothing has yet."""
        self.tree = ProcessTree(client.popen.pid, history, foreign=foreign)

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
            start: the command, its folder, and its variables besides PATH, LANG, HOME, TMPDIR and
                the thread counts.
            confinement: its limits, sandbox and log folder.
            history: observations of the bot's earlier processes, updated by this one.
            name: the beginning of its log file's name.

        Raises:
            BotCrash: its command is too long.
            MachineStalled: the process cannot be created.
            UsageError: the log folder cannot be created.
            ValueError: the bot is foreign, and `confinement` allows no foreign bots.

        """
        if start.foreign and not confinement.allows_foreign:
            raise ValueError(f"a foreign bot was started where none is allowed: {start.argv}")
        try:
            client = SupervisorClient.start(start, confinement, name)
        except OSError as error:
            if error.errno == errno.E2BIG:
                raise BotCrash(f"its command is too long: {error}") from error
            raise machine_fault("a bot could not be started", error) from error
        return cls(client, history or BotHistory(), confinement.limits, foreign=start.foreign)

    @overload
    def ask(self, request: Hello, *, timeout_s: float) -> TimedReply[HelloReply]: ...

    @overload
    def ask(self, request: NewGame, *, timeout_s: float) -> TimedReply[Ready]: ...

    @overload
    def ask(
        self, request: MoveAsk, *, timeout_s: float, is_timed: bool = False
    ) -> TimedReply[MoveReply | Resign]: ...

    def ask(
        self, request: Question, *, timeout_s: float, is_timed: bool = False
    ) -> TimedReply[HelloReply] | TimedReply[Ready] | TimedReply[MoveReply | Resign]:
        """Ask a question and wait for its answer.

        Args:
            request: the question.
            timeout_s: the limit of the bot's own time.
            is_timed: whether the time of a move is limited by its budget, so that what delays it is
                measured from its start. This costs some 50 us before the clock starts. Moves under
                a work budget are measured once they take long.

        Raises:
            BotTimeout: no whole answer came in time, or the bot did not read the question.
            BotCrash: the process ended, closed its output, started too many processes, or gave
                up.
            BotMemory: the bot exceeded its memory limit.
            BotIllegalMove: the host of a course program reported its move as illegal.
            BotProtocolError: the answer, or output before the question, is not allowed.
            MachineStalled: no answer came for very long, and the machine explains that; or the bot
                lost its supervisor.
            RuntimeError: the bot is not `alive`.

        """
        if not self.alive:
            raise RuntimeError("a bot that has ended was asked")
        failure: BotFailure | MachineStalled
        try:
            return self._ask(request, timeout_s, is_timed)
        except ClosedError as closed:
            failure = self._explain_end(request, *closed.args)
        except (BotTimeout, MachineStalled) as late:
            failure = self._find_excess(request) or late
        except BotFailure as raised:
            failure = raised
        self.kill()
        if isinstance(failure, BotFailure):
            self.failed = True
            failure = failures.append_stderr(failure, self.supervisor.stderr)
            failure.last_output = self.last_output()
        raise failure

    def _explain_end(
        self, request: Question, seen: str, received: bytes
    ) -> BotFailure | MachineStalled:
        """Return why a bot closed a pipe, as its supervisor reports it."""
        client = self.supervisor
        client.wait(lambda: client.cause, LAST_REPORT_S)
        if fault := client.fault:
            question = failures.describe_request(request)
            return MachineStalled(f"a bot was lost at {question}: {fault}; {FREE_MACHINE}")
        return failures.failure_after_end(client, request, seen, received)

    def _find_excess(self, request: Question) -> BotFailure | None:
        """Return the failure of a silent bot that exceeds a limit.

        On a busy machine its supervisor may not have run for long.
        """
        client = self.supervisor
        client.read_reports(0)
        if client.cause is None:
            limits = {**asdict(self._limits), "group": client.group}
            options = {name: str(value) for name, value in limits.items() if value}
            monitor = LimitMonitor(options, client.popen.pid)
            if excess := monitor.find_excess():
                cause, _, client.detail = excess.partition(" ")
                client.cause = EndCause(cause)
        if client.cause not in (EndCause.MEMORY, EndCause.PROCESSES):
            return None
        return failures.failure_after_end(client, request, "", b"")

    def _ask(self, request: Question, timeout_s: float, is_timed: bool) -> TimedReply[Any]:
        """Ask, and leave a bot that fails as it is. Raises also ClosedError."""
        channel = self._channel
        if type(request) is not Hello and channel.poll_unasked(0):
            self.supervisor.read_reports(0)
            channel.refuse_unasked(request)
        is_move = type(request) is MoveAsk
        if is_move:
            self.tree.begin_turn()
        else:
            self.tree.resume()
            # It may load, which takes long beside other programs; later games cost 0.2 ms less.
            is_timed = not self._has_played
            self._has_played = type(request) is NewGame
        self._watch = DelayWatch(self.tree) if is_timed else None
        data, own_us = channel.exchange(request, timeout_s, is_watched=is_timed)
        is_excused = own_us > timeout_s * 1e6
        if self._watch is not None and own_us > MEASURED_FROM_US:
            own_us = self._measure(request, timeout_s, own_us).own_us
        if is_move:
            self.tree.end_turn()
        try:
            reply = parse_reply(data.removeprefix(BOM_UTF8))
        except UNREADABLE:
            usable = decode_usable(data.removeprefix(BOM_UTF8))
            if usable is None:
                raise failures.unreadable_failure(request, data) from None
            reply, self.unusable = usable
        if type(reply) not in EXPECTED[type(request)] or (
            type(reply) is MoveReply
            and type(request) is MoveAsk
            and reply.ply != request.ply
            and reply.ply is not None
        ):
            raise failures.wrong_reply_failure(request, reply)
        # Like TimedReply(...), without the cost of its Python-level constructor.
        return tuple.__new__(TimedReply, (reply, own_us, is_excused))

    def begin_game(self) -> None:
        """Restart the measurement of processor time; call it after the bot's `ready`."""
        client = self.supervisor
        client.wait(lambda: client.pid or client.cause, START_S)
        if client.pid is not None:
            self.tree.begin(client.pid)

    def pause(self) -> None:
        """Stop all its processes until it is asked again or asked to quit."""
        if self.alive:
            self.tree.stop()

    def send(self, request: Request) -> None:
        """Send a message without an answer, such as GameOver; the next `ask` reports a failure."""
        if self.alive:
            self._channel.send(request)

    def last_output(self) -> LastOutput:
        """Return the last protocol messages and, once the bot has ended, the end of its stderr."""
        return failures.collect_last_output(self.supervisor.stderr, self._channel.messages)

    def is_unusable(self) -> bool:
        """Return whether the bot wrote something unasked, has ended or lost its supervisor."""
        return not self.alive or not self._channel.is_idle()

    def quit(self, timeout_s: float) -> bool:
        """Ask the bot to exit, kill it at the timeout, and return whether it exited with 0."""
        if not self.alive:
            return False
        self.tree.resume()
        self.send(Quit())
        client = self.supervisor
        client.wait(lambda: client.cause, timeout_s)
        self.kill()
        return client.cause is EndCause.EXITED and client.detail == "0"

    def kill(self) -> None:
        """Kill the bot and everything it started; nothing of it is left on return."""
        self.alive = False
        self.supervisor.kill()

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _handle_silence(
        self, request: Request, timeout_s: float, elapsed_us: int, received: bytes
    ) -> bool:
        """Let an answer be awaited while the bot has time; return whether something has delayed it.

        Raises:
            BotTimeout: the bot is late by its own fault.
            MachineStalled: no answer came for very long, and the machine explains that.

        """
        ask_for_early_wakeups()
        if self._watch is None:
            self._watch = DelayWatch(self.tree, elapsed_us)
            return True
        delay = self._measure(request, timeout_s, elapsed_us, received)
        if elapsed_us > 1e6 * max(LONGEST_WAIT * timeout_s, timeout_s + LEAST_WAIT_S):
            text = failures.describe_late(request, timeout_s)
            raise MachineStalled(f"{text}; {delay}; {FREE_MACHINE}")
        return delay.explained_us > BRIEF_US

    def _measure(
        self, request: Request, timeout_s: float, elapsed_us: int, received: bytes | None = None
    ) -> Delay:
        """Return what delayed an answer; `received` is None if the whole answer has come.

        This decides for every question whether the bot is late.

        Raises:
            BotTimeout: its own time is over its limit.

        """
        assert self._watch is not None  # noqa: S101 - for mypy
        overslept_us = self._channel.overslept_ns // 1000
        delay = self._watch.measure(elapsed_us, overslept_us, is_answered=received is None)
        if delay.own_us > timeout_s * 1e6:
            raise failures.late_failure(request, timeout_s, received or b"", delay)
        return delay
