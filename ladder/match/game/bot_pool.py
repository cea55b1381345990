"""The bot processes that one worker keeps between games.

Starting Python and loading compiled kernels costs far more than a null game, so processes that may
play on are kept, the least recently used going first.
"""

import os
from collections.abc import Callable
from dataclasses import replace

from bots.protocol import HELLO_S, QUIT_S, Hello, HelloReply
from db.records.launch import Start
from ladder.errors import BotProtocolError, UsageError
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.confinement import Confinement
from ladder.match.process.log_budget import LogBudget
from ladder.match.process.process_tree import BotHistory
from ladder.match.specs.file_state import check_unchanged
from ladder.names import check_text

SILENT_S = 3.0
"""Silence at a hello after which a possible cause is printed, in seconds."""
SILENT = (
    f"{{name}} has not answered hello for {SILENT_S:.0f} s: it has {HELLO_S:.0f} s to load; if it "
    "loads nothing, it may not flush its output after every line"
)
KEPT = 6
"""Idle processes kept by one worker."""


class BotPool:
    """Hands out bot processes that have shaken hands, and takes them back.

    Not shared between threads. `close` ends every process.
    """

    def __init__(self, confinement: Confinement, *, keep: int = KEPT) -> None:
        """Nothing is started before it is asked for.

        Args:
            confinement: the bounds of every bot; players of this installation, which are the
                ladder itself, start without its sandbox.
            keep: idle processes kept.

        """
        self._confinement = confinement
        self._trusted = replace(confinement, sandbox=())
        self._keep = keep
        self._idle: list[tuple[Start, BotProcess]] = []
        self._logs = LogBudget(confinement.log_bytes)
        self._started: list[BotProcess] = []
        """Those whose logs are still to be counted."""
        self._histories: dict[Start, BotHistory] = {}
        self.prepared_us: dict[tuple[Start, str | None], int] = {}
        """By process and built-in player: the shortest time from the start of a process to its
        first `ready`, before any position of the game was known."""
        self.has_one_cpu = len(os.sched_getaffinity(0)) == 1
        """Whether this process, and so every bot, was given a single CPU."""

    def acquire(self, start: Start, name: str = "bot") -> BotProcess:
        """A process for one side of a game, fresh or used before.

        Args:
            start: the process to be started.
            name: the bot's, for its log.

        Raises:
            BotFailure: the bot did not start or did not shake hands; nothing of it is left.
            BotChanged: its files are not what they were.

        """
        for place in range(len(self._idle) - 1, -1, -1):
            kept, process = self._idle[place]
            if kept == start:
                del self._idle[place]
                if process.has_stray_output():
                    process.kill()
                    continue
                return process
        check_unchanged(start)
        process = self._start(start, name)
        try:
            exchange_hello(process)
        except BaseException:
            process.kill()
            raise
        return process

    def history_of(self, start: Start) -> BotHistory:
        """The history of a bot, shared by all its processes."""
        return self._histories.setdefault(start, BotHistory())

    def pause_idle(self) -> None:
        """Let no idle process run until it is acquired again: others have the CPU now.

        One that has spoken, or lost its supervisor, is ended.
        """
        for each in self._idle.copy():
            _, process = each
            if process.has_stray_output():
                self._idle.remove(each)
                process.kill()
            else:
                process.pause()

    def fetch_hello(
        self,
        start: Start,
        name: str = "bot",
        *,
        report: Callable[[str], None] | None = None,
    ) -> HelloReply:
        """Start a process only to hear its hello.

        Args:
            start: the process to be started.
            name: the bot's, for its log.
            report: called with a sentence when the bot is silent for `SILENT_S` seconds.

        Raises:
            BotFailure: the bot did not start or did not shake hands.

        """
        process = self._start(start, name)
        if report is not None:
            process.report_silence(SILENT_S, lambda: report(SILENT.format(name=name)))
        try:
            return exchange_hello(process)
        finally:
            process.kill()

    def release(self, start: Start, process: BotProcess, *, renew: bool) -> None:
        """Take back a process whose game ended without a failure; with `renew` it ends."""
        if process.has_stray_output():
            # It spoke after the game had ended: the result stands, the process does not.
            process.kill()
            return
        if renew:
            process.quit(QUIT_S)
            return
        self._idle.append((start, process))
        while len(self._idle) > self._keep:
            self._idle.pop(0)[1].quit(QUIT_S)

    def _start(self, start: Start, name: str = "bot") -> BotProcess:
        self._count_logs()
        confinement = self._confinement if start.foreign else self._trusted
        name = name if start.foreign else "built-in"
        process = BotProcess.start(start, confinement, self.history_of(start), name=name)
        self._started.append(process)
        return process

    def _count_logs(self) -> None:
        """Count the logs of the processes that have ended; the oldest may go for them."""
        for process in [each for each in self._started if not each.alive]:
            self._started.remove(process)
            self._logs.ended(process.log_path, forfeit=process.failed)

    def close(self, end: Callable[[BotProcess], None] = BotProcess.kill) -> None:
        """End every idle process, by default at once."""
        while self._idle:
            end(self._idle.pop()[1])
        self._count_logs()


def exchange_hello(process: BotProcess) -> HelloReply:
    """Exchange hello.

    Raises:
        BotFailure: no hello came within 30 s, or something else, or texts that are not printable.

    """
    reply = process.ask(Hello(), timeout_s=HELLO_S).reply
    assert isinstance(reply, HelloReply)  # noqa: S101 - `ask` lets no other answer through
    try:
        check_text(reply.name, "a name")
        check_text(reply.version, "a version")
    except UsageError as error:
        raise BotProtocolError(f"its hello: {error}") from error
    return reply
