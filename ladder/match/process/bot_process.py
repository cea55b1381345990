"""One bot process: start it, ask it questions under deadlines, end it.

    with BotProcess.start(start) as bot:
        bot.hello()
        bot.new_game(NewGame(...))
        answer = bot.ask_move(MoveAsk(ply=0, moves=()), 0.15, is_charged=True)

After a failure the process and everything it started are gone, and the exception holds what the
bot's author needs to know. Needs Linux 5.3 or later (pidfd).
"""

from __future__ import annotations

import errno
from typing import NamedTuple

from bots.protocol import (
    HELLO_S,
    READY_S,
    Hello,
    HelloReply,
    MoveAsk,
    MoveReply,
    NewGame,
    Quit,
    Ready,
    Request,
    Resign,
)
from db.records.games import LastOutput
from db.records.launch import Limits, Start
from ladder.errors import BotCrash, BotFailure, BotTimeout, MachineStalled
from ladder.match.process import failures
from ladder.match.process.answers import decode_answer, decode_move
from ladder.match.process.lateness import Delay, DelayWatch
from ladder.match.process.line_channel import ClosedError, LineChannel
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
ENDED = "a bot that has ended was asked"
FAILURES = (ClosedError, BotFailure, MachineStalled)
"""What a question raises before its failure is explained."""


class MoveAnswer(NamedTuple):
    """A bot's answer to the question for a move, and its time."""

    reply: MoveReply | Resign
    own_us: int
    """The bot's own time: from just before the question is written until the whole answer is read,
    without what the machine explains (`ladder.match.process.lateness`)."""
    is_excused: bool
    """Whether it came late, and the machine explains the delay."""
    unusable: str
    """An optional value in it that could not be used; "" for none."""


class BotProcess:
    """A running bot, and a context manager that kills it.

    Not shared between threads.

    Attributes:
        alive: whether it may be asked; False after `kill`, `quit` and every failure.
        failed: whether it was ended for a failure.
        supervisor: the harness's end of its supervisor.
        tree: the bot's processes, with their processor time since `new_game`.

    """

    def __init__(
        self, client: SupervisorClient, history: BotHistory, limits: Limits, *, foreign: bool
    ) -> None:
        self.alive = True
        self.failed = False
        self._has_played = False
        """Whether it was asked for a game before, so that it has loaded."""
        self._limits = limits
        self.supervisor = client
        self._channel = LineChannel(
            client.stdin, client.stdout, client.connection.fileno(), self._handle_silence
        )
        self.tree = ProcessTree(client.popen.pid, history, foreign=foreign)
        self._watch = DelayWatch(self.tree)

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
            raise failures.machine_fault("a bot could not be started", error) from error
        return cls(client, history or BotHistory(), confinement.limits, foreign=start.foreign)

    def hello(self, limit_s: float = HELLO_S) -> HelloReply:
        """Ask for the bot's name, budgets and boards: the first question (raises as `ask_move`)."""
        if not self.alive:
            raise RuntimeError(ENDED)
        question = Hello()
        try:
            data, *_ = self._exchange(question, limit_s, is_watched=True)
            return decode_answer(HelloReply, question, data)
        except FAILURES as error:
            raise self._end_for(error, question) from None

    def new_game(self, question: NewGame, limit_s: float = READY_S) -> None:
        """Begin a game: wait until the bot is ready, and measure its processor time from then on.

        Raises the same as `ask_move`.
        """
        # It may load, which takes long beside other programs; later games cost 0.2 ms less.
        is_watched, self._has_played = not self._has_played, True
        try:
            if not self.alive or self._channel.poll_unasked(0):
                self._refuse(question)
            self.tree.resume()
            data, *_ = self._exchange(question, limit_s, is_watched=is_watched)
            decode_answer(Ready, question, data)
        except FAILURES as error:
            raise self._end_for(error, question) from None
        client = self.supervisor
        client.wait(lambda: client.pid or client.cause, START_S)
        if client.pid is not None:
            self.tree.begin(client.pid)

    def ask_move(
        self, question: MoveAsk, limit_s: float, *, is_charged: bool = False
    ) -> MoveAnswer:
        """Ask for a move and wait for it.

        Args:
            question: the question.
            limit_s: the limit of the bot's own time.
            is_charged: whether its own time counts against a budget, so that what delays it is
                measured from its start. This costs some 50 us before the clock starts. Other moves
                are measured once they take long.

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
        try:
            if not self.alive or self._channel.poll_unasked(0):
                self._refuse(question)
            self.tree.begin_turn()
            data, own_us, is_excused = self._exchange(question, limit_s, is_watched=is_charged)
            self.tree.end_turn()
            reply, unusable = decode_move(question, data)
        except FAILURES as error:
            raise self._end_for(error, question) from None
        # Like MoveAnswer(...), without the cost of its Python-level constructor.
        return tuple.__new__(MoveAnswer, (reply, own_us, is_excused, unusable))

    def _refuse(self, question: Request) -> None:
        """Raise why a question cannot be asked: the bot has ended, or wrote something unasked."""
        if not self.alive:
            raise RuntimeError(ENDED)
        self.supervisor.read_reports(0)
        self._channel.refuse_unasked(question)

    def _exchange(
        self, question: Request, limit_s: float, *, is_watched: bool
    ) -> tuple[bytes, int, bool]:
        """Ask, and leave a bot that fails as it is. Raises also ClosedError.

        Returns:
            The answer, the bot's own time, and whether it came late and that is excused.

        """
        watch = self._watch
        watch.is_begun = False
        if is_watched:
            watch.begin()
        data, elapsed_us = self._channel.exchange(question, limit_s, is_watched=is_watched)
        own_us = elapsed_us
        if watch.is_begun and elapsed_us > MEASURED_FROM_US:
            own_us = self._judge(question, limit_s, elapsed_us, is_answered=True).own_us
        return data, own_us, elapsed_us > limit_s * 1e6

    def _handle_silence(
        self, question: Request, limit_s: float, elapsed_us: int, received: bytes
    ) -> bool:
        """Let an answer be awaited while the bot has time; return whether something has delayed it.

        Raises:
            BotTimeout: the bot is late by its own fault.
            MachineStalled: no answer came for very long, and the machine explains that.

        """
        ask_for_early_wakeups()
        if not self._watch.is_begun:
            self._watch.begin(elapsed_us)
            return True
        delay = self._judge(question, limit_s, elapsed_us, received)
        if elapsed_us > 1e6 * max(LONGEST_WAIT * limit_s, limit_s + LEAST_WAIT_S):
            text = failures.describe_late(question, limit_s)
            raise MachineStalled(f"{text}; {delay}; {failures.FREE_MACHINE}")
        return delay.explained_us > BRIEF_US

    def _judge(
        self,
        question: Request,
        limit_s: float,
        elapsed_us: int,
        received: bytes = b"",
        *,
        is_answered: bool = False,
    ) -> Delay:
        """Return what delayed an answer: this decides for every question whether the bot is late.

        Raises:
            BotTimeout: its own time is over its limit.

        """
        overslept_us = self._channel.overslept_ns // 1000
        delay = self._watch.measure(elapsed_us, overslept_us, is_answered=is_answered)
        if delay.own_us > limit_s * 1e6:
            raise failures.late_failure(question, limit_s, received, delay)
        return delay

    def _end_for(
        self, error: ClosedError | BotFailure | MachineStalled, question: Request
    ) -> BotFailure | MachineStalled:
        """End the bot for what a question raised, and return its failure."""
        failure = self._explain(error, question)
        self.kill()
        if isinstance(failure, BotFailure):
            self.failed = True
            failure = failures.append_stderr(failure, self.supervisor.stderr)
            failure.last_output = self.last_output()
        return failure

    def _explain(
        self, error: ClosedError | BotFailure | MachineStalled, question: Request
    ) -> BotFailure | MachineStalled:
        """Return the failure that a closed pipe or a missing answer is, as its supervisor knows."""
        client = self.supervisor
        seen, received = "", b""
        if isinstance(error, ClosedError):
            seen, received = error.args
            client.wait(lambda: client.cause, LAST_REPORT_S)
        elif isinstance(error, BotTimeout | MachineStalled):
            client.check_limits(self._limits)
            if client.cause not in (EndCause.MEMORY, EndCause.PROCESSES):
                return error
        else:
            return error
        if fault := client.fault:
            asked = failures.describe_request(question)
            return MachineStalled(f"a bot was lost at {asked}: {fault}; {failures.FREE_MACHINE}")
        return failures.failure_after_end(client, question, seen, received)

    def pause(self) -> None:
        """Stop all its processes until it is asked again or asked to quit."""
        if self.alive:
            self.tree.stop()

    def send(self, request: Request) -> None:
        """Send a message without an answer, such as GameOver; a failure meets the next question."""
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
