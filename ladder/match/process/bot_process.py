"""One bot process: start it, ask it questions under deadlines, end it.

    with BotProcess.start(start) as bot:
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NewGame(...), timeout_s=10)
        reply, elapsed_us = bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.15)

After a failure the process and everything it started are gone, and the exception holds what the
bot's author needs to know. Needs Linux 5.3 or later (pidfd).
"""

from __future__ import annotations

from codecs import BOM_UTF8
from time import perf_counter_ns
from typing import Generic, NamedTuple, NoReturn, TypeVar, overload

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
    encode,
    parse_reply,
)
from db.records.games import LastOutput
from db.records.launch import Start
from ladder.errors import BotFailure, MachineStalled
from ladder.match.process import failures
from ladder.match.process.confinement import Confinement
from ladder.match.process.counters import QueueWatch, read_counters
from ladder.match.process.lateness import Counters, Delay, measure_delay
from ladder.match.process.line_channel import (
    ChannelError,
    ClosedError,
    LateError,
    LineChannel,
    NotOneLineError,
)
from ladder.match.process.process_tree import BotHistory, ProcessTree
from ladder.match.process.supervisor_client import EndCause, SupervisorClient

START_S = 1.0
"""How long to wait for the report that a bot has started, which comes before its answers."""
LAST_REPORT_S = 0.1
"""How long to wait for the end of a bot that closed its output: its exit status is the cause."""
LONGEST_WAIT_S = 1.0
"""How long after its deadline a timed move is waited for, while the machine explains its delay."""
LOADING_WAIT = 4
"""The same for the first new game of a process, in times of its timeout from the question on. A
program that computes without end uses up its timeout meanwhile, even beside two others."""
LATE_SLICE_S = 0.004
"""Time between two readings of the counters meanwhile."""
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
    elapsed_us: int
    """From just before the question is written until the whole answer is read; of an excused move,
    the part that the machine does not explain."""
    is_excused: bool = False
    """Whether it came late, and the machine explains the delay."""


MoveAnswer = TimedReply[MoveReply | Resign]


class _TimedMove(NamedTuple):
    """The limits of a timed move, and the counters before its question."""

    budget_s: float
    timeout_s: float
    before: Counters

    def excuses(self, delay: Delay) -> bool:
        """Return whether the machine explains a late answer."""
        margin_s = self.timeout_s - self.budget_s
        return delay.is_excused(int(self.budget_s * 1e6), int(margin_s * 1e6))


class BotProcess:
    """A running bot, and a context manager that kills it.

    Not shared between threads.

    Attributes:
        alive: whether it may be asked; False after `kill`, `quit` and every failure.
        failed: whether it was ended for a failure.
        supervisor: the harness's end of its supervisor.
        tree: the bot's processes, with their processor time since `begin_game`.

    """

    def __init__(self, client: SupervisorClient, history: BotHistory, *, foreign: bool) -> None:
        self.alive = True
        self.failed = False
        self._is_new = True
        self.supervisor = client
        self._channel = LineChannel(client.stdin, client.stdout, client.status)
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
            OSError: the process or the log folder cannot be created.
            ValueError: the bot is foreign, and `confinement` allows no foreign bots.

        """
        if start.foreign and not confinement.allows_foreign:
            raise ValueError(f"a foreign bot was started where none is allowed: {start.argv}")
        client = SupervisorClient.start(start, confinement, name)
        return cls(client, history or BotHistory(), foreign=start.foreign)

    @overload
    def ask(self, request: Hello, *, timeout_s: float) -> TimedReply[HelloReply]: ...

    @overload
    def ask(self, request: NewGame, *, timeout_s: float) -> TimedReply[Ready]: ...

    @overload
    def ask(
        self, request: MoveAsk, *, timeout_s: float, budget_s: float | None = None
    ) -> TimedReply[MoveReply | Resign]: ...

    def ask(
        self, request: Question, *, timeout_s: float, budget_s: float | None = None
    ) -> TimedReply[HelloReply] | TimedReply[Ready] | TimedReply[MoveReply | Resign]:
        """Ask a question and wait for its answer.

        Args:
            request: the question.
            timeout_s: deadline on a monotonic clock, for a timed move its budget and margin.
            budget_s: budget of a timed move, which may be late if the machine explains it. Costs
                some 50 us before the clock starts. None for other questions: the time in which the
                harness was stopped does not count then. The first new game of a process is judged
                as a move with `timeout_s` as budget and no margin.

        Raises:
            BotTimeout: no whole answer came in time, or the bot did not read the question.
            BotCrash: the process ended, closed its output, started too many processes, or gave
                up.
            BotMemory: the bot exceeded its memory limit.
            BotIllegalMove: the host of a course program reported its move as illegal.
            BotProtocolError: the answer, or output before the question, is not allowed.
            MachineStalled: no answer came, and the machine explains that; or the bot lost its
                supervisor.
            RuntimeError: the bot is not `alive`.

        """
        if not self.alive:
            raise RuntimeError("a bot that has ended was asked")
        channel = self._channel
        if events := channel.poll_unasked(0):
            self._handle_unasked([descriptor for descriptor, _ in events], request)
        is_move = type(request) is MoveAsk
        if is_move:
            self.tree.begin_turn()
        else:
            self.tree.resume()
        if self._is_new and type(request) is NewGame:
            budget_s = timeout_s  # it may be loading, which takes long beside other programs
        timed = None
        if budget_s is not None:
            timed = _TimedMove(budget_s, timeout_s, read_counters(self.tree))
        is_excused = False
        try:
            data, elapsed_us = channel.exchange(encode(request), timeout_s, budget_s)
            if timed is not None and elapsed_us > timeout_s * 1e6:
                elapsed_us = self._excuse(request, timed, elapsed_us)
                is_excused = True
        except LateError as late:
            if timed is None:
                self._fail(failures.late_failure(request, timeout_s, late.received))
            data, elapsed_us = self._await_late(request, timed, late.received)
            is_excused = True
        except ChannelError as error:
            self._fail_exchange(request, timeout_s, error)
        if is_move:
            self.tree.end_turn()
        try:
            reply = parse_reply(data.removeprefix(BOM_UTF8))
        except UNREADABLE:
            self._fail(failures.unreadable_failure(request, data))
        if type(reply) not in EXPECTED[type(request)] or (
            type(reply) is MoveReply
            and type(request) is MoveAsk
            and reply.ply != request.ply
            and reply.ply is not None
        ):
            self._fail(failures.wrong_reply_failure(request, reply))
        # Like TimedReply(...), without the cost of its Python-level constructor.
        return tuple.__new__(TimedReply, (reply, elapsed_us, is_excused))

    def begin_game(self) -> None:
        """Restart the measurement of processor time; call it after the bot's `ready`."""
        self._is_new = False
        report = self.supervisor.report
        self.supervisor.wait(lambda: report.pid is not None or report.ended, START_S)
        if report.pid is not None:
            self.tree.begin(report.pid)

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
        return failures.collect_last_output(self.supervisor.report.stderr, self._channel.messages)

    def is_unusable(self) -> bool:
        """Return whether the bot wrote something unasked, has ended or lost its supervisor."""
        return not self.alive or not self._channel.is_idle()

    def quit(self, timeout_s: float) -> bool:
        """Ask the bot to exit, kill it at the timeout, and return whether it exited with 0."""
        if not self.alive:
            return False
        self.tree.resume()
        self.send(Quit())
        self.supervisor.wait_ended(timeout_s)
        report = self.supervisor.report
        graceful = report.cause is EndCause.EXITED and report.detail == "0"
        self.kill()
        return graceful

    def kill(self) -> None:
        """Kill the bot and everything it started; nothing of it is left on return."""
        self.alive = False
        self.supervisor.kill()

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def _fail_exchange(self, request: Request, timeout_s: float, error: ChannelError) -> NoReturn:
        """Turn the failure of an exchange into the failure of the bot, and raise it."""
        if isinstance(error, NotOneLineError):
            self._fail(failures.extra_output_failure(request, error.received))
        if isinstance(error, ClosedError):
            self._fail_ended(request, error.event, error.received)
        self._fail(failures.not_read_failure(request, timeout_s))

    def _handle_unasked(self, descriptors: list[int], request: Request) -> None:
        """Handle output of the bot or its supervisor that came before a question."""
        client = self.supervisor
        if client.status in descriptors:
            client.read_status(0)
            if client.report.closed and client.stdout not in descriptors:
                self._fail_ended(request, "lost its supervisor")
        if client.stdout in descriptors:
            data = self._channel.read_unasked()
            if not data:
                self._fail_ended(request, "closed its standard output")
            self._fail(failures.unasked_output_failure(request, data))

    def _await_late(
        self, request: Request, timed: _TimedMove, received: bytes
    ) -> tuple[bytes, int]:
        """Wait for the answer to a late move while the machine explains the delay.

        Args:
            request: the question.
            timed: its limits.
            received: the beginning of the answer.

        Returns:
            The answer, and the time that the bot is charged.

        Raises:
            BotTimeout: the bot was late by its own fault.
            MachineStalled: no answer came, and the machine explains that.

        """
        queue = QueueWatch(self.tree)
        is_loading = type(request) is NewGame
        extra_s = (LOADING_WAIT - 1) * timed.timeout_s if is_loading else LONGEST_WAIT_S
        while True:
            elapsed_us = (perf_counter_ns() - self._channel.started_ns) // 1000
            delay = self._measure_delay(
                timed, elapsed_us, is_answered=False, queued_us=queue.longest_wait_us()
            )
            if not timed.excuses(delay):
                self._fail(failures.late_failure(request, timed.timeout_s, received, delay))
            if elapsed_us > (timed.timeout_s + extra_s) * 1e6:
                self.kill()
                text = failures.describe_late(request, timed.timeout_s)
                raise MachineStalled(f"{text} and {extra_s:g} s more: {delay}")
            try:
                data, elapsed_us = self._channel.read_line(
                    received, elapsed_us / 1e6 + LATE_SLICE_S
                )
            except LateError as late:
                received = late.received
            except ChannelError as error:
                self._fail_exchange(request, timed.timeout_s, error)
            else:
                return data, self._excuse(request, timed, elapsed_us)

    def _excuse(self, request: Request, timed: _TimedMove, elapsed_us: int) -> int:
        """Return the charged time of a late answer that the machine explains.

        Raises:
            BotTimeout: the bot was late by its own fault.

        """
        delay = self._measure_delay(timed, elapsed_us, is_answered=True)
        if not timed.excuses(delay):
            self._fail(failures.late_failure(request, timed.timeout_s, b"", delay))
        return max(0, min(int(timed.budget_s * 1e6), elapsed_us - delay.explained_us))

    def _measure_delay(
        self, timed: _TimedMove, elapsed_us: int, *, is_answered: bool, queued_us: int = 0
    ) -> Delay:
        return measure_delay(
            timed.before,
            read_counters(self.tree),
            elapsed_us=elapsed_us,
            overslept_us=self._channel.overslept_us(elapsed_us),
            unseen_us=self._channel.unseen_us(elapsed_us) if is_answered else 0,
            queued_us=queued_us,
        )

    def _fail_ended(self, request: Request, seen: str, received: bytes = b"") -> NoReturn:
        """Raise the failure of a bot that closed a pipe, with the cause its supervisor reports.

        Raises:
            BotFailure: it ended by its own fault.
            MachineStalled: it lost its supervisor.

        """
        self.supervisor.wait_ended(LAST_REPORT_S)
        if fault := self.supervisor.report.fault:
            self.kill()
            raise MachineStalled(f"a bot was lost at {failures.describe_request(request)}: {fault}")
        self._fail(failures.failure_after_end(self.supervisor.report, request, seen, received))

    def _fail(self, failure: BotFailure) -> NoReturn:
        """Kill the bot and raise its failure with its last output."""
        self.failed = True
        self.kill()
        failure = failures.append_stderr(failure, self.supervisor.report.stderr)
        failure.last_output = self.last_output()
        raise failure
