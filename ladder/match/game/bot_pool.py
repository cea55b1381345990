"""A pool of bot processes that one worker keeps between games.

Starting Python and loading compiled kernels takes far longer than a game without thinking. So idle
processes are kept, and the least recently used ones are ended.
"""

import contextlib
from collections import defaultdict, deque
from dataclasses import replace
from pathlib import Path

import msgspec

from bots.protocol import QUIT_S, HelloReply
from db.records.launch import DEFAULT_LIMITS, Limits, Start
from ladder.errors import BotProtocolError, UsageError
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.process_tree import BotHistory
from ladder.match.process.sandbox import Confinement
from ladder.match.process.supervisor import HEAD, TAIL
from ladder.names import check_text

MOST_IDLE = 6
"""Idle processes kept by one worker."""
FORFEIT = ".forfeit.log"
"""End of the file name of a log whose bot forfeited a game."""


class BotPool:
    """A pool of bot processes that have answered hello.

    Not shared between threads. `close` ends every process.
    """

    def __init__(
        self,
        confinement: Confinement,
        *,
        keep: int = MOST_IDLE,
    ) -> None:
        """Create an empty pool; `acquire` starts processes.

        Args:
            confinement: limits, sandbox and logs of every bot. Players of this installation, which
                are part of the ladder, start without the sandbox and under no lower limits than the
                default ones, which they need.
            keep: number of idle processes kept.

        """
        self._confinement = confinement
        self._trusted = replace(confinement, sandbox=(), limits=_at_least(confinement.limits))
        self._keep = keep
        self._idle: list[tuple[Start, BotProcess]] = []
        self._most_logs = max(1, confinement.log_bytes // (HEAD + TAIL) // 2)
        """Logs kept of bots that forfeited a game, and of others."""
        self._logs: dict[bool, deque[Path]] = {False: deque(), True: deque()}
        self._started: list[BotProcess] = []
        """Processes whose logs are not among them yet."""
        self._histories: defaultdict[Start, BotHistory] = defaultdict(BotHistory)
        """Observations of each bot, which all its processes share."""

    def acquire(self, start: Start, name: str = "bot") -> BotProcess:
        """Return an idle process of a bot, or start a new one.

        Args:
            start: how to start the bot.
            name: the bot's name, for its log.

        Raises:
            BotFailure: the bot did not start or did not answer hello; nothing of it is left.

        """
        while process := self.idle_process(start):
            self._idle.remove((start, process))
            if not process.is_unusable():
                return process
            process.kill()
        return self._start(start, name)[0]

    def idle_process(self, start: Start) -> BotProcess | None:
        """Return the latest idle process of a bot, which stays in the pool, or None."""
        return next((process for kept, process in reversed(self._idle) if kept == start), None)

    def pause_idle(self) -> None:
        """Stop all idle processes until their next question, for a game has the CPU now.

        A process that wrote something unasked, or lost its supervisor, is killed.
        """
        for _, process in self._idle:
            if process.is_unusable():
                process.kill()
            process.pause()
        self._idle = [each for each in self._idle if each[1].alive]

    def fetch_hello(self, start: Start, name: str = "bot") -> HelloReply:
        """Return the hello of a bot; its process ends.

        Raises:
            BotFailure: the bot did not start or did not answer hello.

        """
        process, hello = self._start(start, name)
        process.kill()
        return hello

    def release(self, start: Start, process: BotProcess, *, renew: bool) -> None:
        """Take back a process after a game without a failure of it; end it if `renew`."""
        if process.is_unusable():  # it wrote after the game: the result stands
            process.kill()
            return
        if renew:
            process.quit(QUIT_S)
            return
        self._idle.append((start, process))
        while len(self._idle) > self._keep:
            self._idle.pop(0)[1].quit(QUIT_S)

    def _start(self, start: Start, name: str) -> tuple[BotProcess, HelloReply]:
        """Start a process and return its hello, whose text must be printable. Raises BotFailure."""
        self._collect_logs()
        confinement = self._confinement if start.foreign else self._trusted
        name = name if start.foreign else "built-in"
        process = BotProcess.start(start, confinement, self._histories[start], name=name)
        self._started.append(process)
        try:
            hello = process.hello()
            check_text(hello.name, "a name")
            check_text(hello.version, "a version")
        except UsageError as error:
            process.kill()
            raise BotProtocolError(f"its hello is refused: {error}") from error
        except BaseException:
            process.kill()
            raise
        return process, hello

    def _collect_logs(self) -> None:
        """Name the logs of processes that have ended, and delete the oldest above the limit."""
        for process in [each for each in self._started if not each.alive]:
            self._started.remove(process)
            path = process.supervisor.log_path
            if path is None or not path.exists():
                continue
            with contextlib.suppress(OSError):  # the user has deleted it
                if process.failed:
                    path = path.rename(path.with_name(path.name.removesuffix(".log") + FORFEIT))
                logs = self._logs[process.failed]
                logs.append(path)
                if len(logs) > self._most_logs:
                    logs.popleft().unlink()

    def close(self) -> None:
        """Kill every idle process."""
        while self._idle:
            self._idle.pop()[1].kill()
        self._collect_logs()


def _at_least(limits: Limits, least: Limits = DEFAULT_LIMITS) -> Limits:
    """Return limits of which none is below another one's; None is no limit."""
    given, lowest = msgspec.structs.asdict(limits), msgspec.structs.asdict(least)
    return Limits(
        **{
            name: None if value is None or lowest[name] is None else max(value, lowest[name])
            for name, value in given.items()
        }
    )
