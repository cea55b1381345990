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
import os
import select
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn

import msgspec

from bots.errors import ProtocolError
from bots.protocol import (
    MAX_LINE,
    ErrorReply,
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
)
from db.records.launch import Start
from ladder.errors import (
    BotCrash,
    BotFailure,
    BotIllegalMove,
    BotMemory,
    BotOverCpu,
    BotProtocolError,
    BotTimeout,
    MachineStalled,
)
from ladder.process.confinement import UNCONFINED, Confinement
from ladder.process.cpu_wait import (
    Snapshot,
    Stall,
    snapshot,
    stall_since,
)
from ladder.process.procfs import (
    cpu_clock,
    descendants,
    is_ticking,
    resident_kb,
)
from ladder.process.supervisor_client import Supervision
from ladder.signals import poll_of

LAST_REPORT_S = 0.1
"""How long a bot that closed its output may take to end, so that the cause can be named."""
WAKE_S = 0.002
"""How late a wait for an answer may end by itself: the kernel rounds it up to milliseconds."""
ASLEEP_S = 0.25
"""Waking so late after a deadline, we were stopped (Ctrl-Z, a debugger) or the machine slept."""
EXPECTED: dict[type[Request], type[Reply]] = {
    Hello: HelloReply,
    NewGame: Ready,
    MoveAsk: MoveReply,
}
"""The answer that belongs to each question."""

OVER_LIMIT: dict[str, type[BotFailure]] = {"memory": BotMemory, "cpu": BotOverCpu}
"""What passing a limit is charged as; all others are crashes."""


class Answer(NamedTuple):
    """What a bot answered, and how long it took."""

    reply: Reply
    elapsed_us: int
    """From just before our write to the reading of the whole line."""


class BotProcess:
    """A running bot; not for several threads at a time. Also a context manager that kills it."""

    def __init__(self, supervision: Supervision, *, foreign: bool) -> None:
        self.alive = True
        """Whether it may be asked; False after `kill`, `quit` and every failure."""
        self.stall: Stall | None = None
        """After a BotTimeout that was watched: who was kept from running."""
        self.cpu_us = 0
        """Processor time between the last question and its answer, of the processes that the bot
        had at `begin_game`; 0 before its first call."""
        self._supervision = supervision
        self._foreign = foreign
        self._stdin = supervision.stdin
        self._stdout = supervision.stdout
        self._poll = poll_of(self._stdout)
        self._snapshot: Snapshot | None = None
        self._clocks: list[int] = []

    @classmethod
    def start(
        cls,
        start: Start,
        confinement: Confinement = UNCONFINED,
    ) -> BotProcess:
        """Start a bot under a supervisor, without waiting for either.

        Args:
            start: what to start, where, and with which variables beside PATH, LANG, HOME, TMPDIR
                and the thread counts.
            confinement: its limits, the words before its command, the folder of its log.

        Raises:
            OSError: no process can be made, or the log folder cannot.

        """
        limits = confinement.limits
        if limits.address_mb is None and start.address_mb is not None:
            limits = msgspec.structs.replace(limits, address_mb=start.address_mb)
            confinement = replace(confinement, limits=limits)
        supervision = Supervision.start(
            start.argv, start.folder, confinement, environment=dict(start.environment)
        )
        return cls(supervision, foreign=start.foreign)

    def ask(self, request: Request, *, timeout_s: float, watch_runqueue: bool = False) -> Answer:
        """Put a question and wait for its answer.

        With `watch_runqueue` a missed deadline leaves in `stall` who was kept from running; this
        costs some 50 us before the question, off the clock.

        The clock is monotonic; an answer that is there after `timeout_s` seconds is too late even
        when it can still be read.

        Raises:
            BotTimeout: no whole answer within the deadline, or the question was not read.
            BotCrash: the process ended, closed its output, passed a limit, or gave up.
            BotProtocolError: the answer, or output that lay there before, is not allowed.
            BotMemory: it was ended for passing its memory limit.
            MachineStalled: we were not there at the deadline, so nobody knows whether it was late.
            RuntimeError: it was asked although it is not `alive`.

        """
        if not self.alive:
            raise RuntimeError("a bot that has ended was asked")
        if self._poll(0):
            self._spoke_unasked(request)
        line = encode(request)
        self._snapshot = snapshot(self.pid or 0) if watch_runqueue else None
        used_ns = self._used_ns() if self._clocks else 0
        # Before the write: on a CPU of its own with the bot, the harness is put aside as soon as
        # the bot can read, for up to a scheduler tick of some milliseconds.
        started = time.perf_counter_ns()
        try:
            written = os.write(self._stdin, line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self._ended(request, "closed its standard input")
        if written != len(line):
            self._write_rest(request, line[written:], started, timeout_s)
        left_s = timeout_s - (time.perf_counter_ns() - started) / 1e9
        if not self._poll(max(0.0, left_s) * 1000):
            self._too_late(request, timeout_s, started)
        data = os.read(self._stdout, 65536)
        finished = time.perf_counter_ns()
        if data.find(b"\n") != len(data) - 1 or not data:
            data = self._read_rest(request, data, started, timeout_s)
            finished = time.perf_counter_ns()
        elapsed_us = (finished - started) // 1000
        if self._clocks:
            self.cpu_us = max(0, self._used_ns() - used_ns) // 1000
        if elapsed_us > timeout_s * 1e6:
            self._too_late(request, timeout_s, started, answered=True)
        try:
            reply = decode_reply(data)
        except ProtocolError as error:
            self._fail(BotProtocolError, f"{error}, as the answer to {_name(request)}", error)
        if type(reply) is not EXPECTED.get(type(request)):
            self._wrong_type(request, reply)
        if type(reply) is MoveReply and reply.ply is not None:
            self._check_echo(request, reply.ply)
        return Answer(reply, elapsed_us)

    def begin_game(self) -> None:
        """Count CPU time anew, against the limit and for the answers; after its `ready`."""
        pid = self.pid
        if pid is None:
            return
        self._supervision.begin_game()
        # Our own host never has children, and looking for them costs as much as two moves.
        family = [pid, *descendants(pid)] if self._foreign else [pid]
        self._clocks = [cpu_clock(each) for each in family]

    def _used_ns(self) -> int:
        """Processor time of the processes that it had when the game began."""
        try:
            return sum(map(time.clock_gettime_ns, self._clocks))
        except OSError:  # one has ended; what it used is lost to this sum
            self._clocks = [clock for clock in self._clocks if is_ticking(clock)]
            return sum(map(time.clock_gettime_ns, self._clocks)) if self._clocks else 0

    def tell(self, request: Request) -> None:
        """Say something that has no answer, such as GameOver; a failure shows at the next `ask`."""
        if self.alive:
            with contextlib.suppress(BlockingIOError, BrokenPipeError):
                os.write(self._stdin, encode(request))

    def has_stray_output(self) -> bool:
        """Whether output lies there although nothing was asked, or the bot has ended."""
        return not self.alive or bool(self._poll(0))

    def quit(self, timeout_s: float) -> bool:
        """Ask it to exit, kill it when it does not in time; True: it exited with 0."""
        if not self.alive:
            return False
        self.tell(Quit())
        self._supervision.wait_ended(timeout_s)
        graceful = self._supervision.outcome.exited == 0
        self.kill()
        return graceful

    def kill(self) -> None:
        """End it and everything it started, at once; nothing of it is left on return."""
        self.alive = False
        self._supervision.kill()

    def __enter__(self) -> BotProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int | None:
        """The bot's process id; waits up to a second for its start; None: it did not."""
        supervision = self._supervision
        deadline = time.monotonic() + 1
        while self.alive and supervision.outcome.pid is None and not supervision.outcome.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            supervision.listen(left)
        return supervision.outcome.pid

    @property
    def supervisor_pid(self) -> int:
        """The process id of the supervisor."""
        return self._supervision.popen.pid

    @property
    def log_path(self) -> Path | None:
        """Where its stderr goes; the file exists once it wrote something."""
        return self._supervision.log_path

    @property
    def scratch(self) -> Path:
        """Its HOME and TMPDIR, removed when it ends."""
        return Path(self._supervision.scratch)

    def resident_mb(self) -> float:
        """Resident memory of the bot and its descendants in MiB, shared pages counted for each."""
        return resident_kb(descendants(self.supervisor_pid)) / 1024 if self.alive else 0.0

    def _write_rest(self, request: Request, rest: bytes, started: int, timeout_s: float) -> None:
        """The pipe is full: go on as the bot reads, within the same deadline."""
        poll = poll_of(self._stdin, select.POLLOUT)
        while rest:
            left = timeout_s - (time.perf_counter_ns() - started) / 1e9
            if left <= 0 or not poll(left * 1000):
                text = f"did not read its standard input for {timeout_s * 1000:.0f} ms"
                self._fail(BotTimeout, f"{text} when asked for {_name(request)}")
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BrokenPipeError:
                self._ended(request, "closed its standard input")

    def _read_rest(self, request: Request, data: bytes, started: int, timeout_s: float) -> bytes:
        """Not exactly one line at once: wait for its end, or say what is wrong with it."""
        while True:
            if not data:
                self._ended(request, "closed its standard output")
            end = data.find(b"\n")
            if end >= MAX_LINE or (end < 0 and len(data) >= MAX_LINE):
                text = f"answered {_name(request)} with a line over {MAX_LINE // 1024} KiB"
                self._fail(BotProtocolError, f"{text}: {_excerpt(data)}")
            if end == len(data) - 1:
                return data
            if end >= 0:
                text = f"wrote more than one line as the answer to {_name(request)}"
                self._fail(BotProtocolError, f"{text}: {_excerpt(data[end + 1 :])} came after it")
            left = timeout_s - (time.perf_counter_ns() - started) / 1e9
            if left <= 0 or not self._poll(left * 1000):
                self._too_late(request, timeout_s, started, data)
            more = os.read(self._stdout, 65536)
            if not more:
                after = f" after half a line: {_excerpt(data)}"
                self._ended(request, "closed its standard output", after)
            data += more

    def _spoke_unasked(self, request: Request) -> NoReturn:
        data = os.read(self._stdout, 65536)
        if not data:
            self._ended(request, "closed its standard output")
        text = f"wrote {_excerpt(data)} although nothing was asked, before {_name(request)}"
        self._fail(BotProtocolError, text)

    def _too_late(
        self,
        request: Request,
        timeout_s: float,
        started: int,
        data: bytes = b"",
        *,
        answered: bool = False,
    ) -> NoReturn:
        late_s = (time.perf_counter_ns() - started) / 1e9 - timeout_s
        # A wait that ends with an answer ends before the deadline. Where it did not, we were kept
        # from looking, and the answer may have lain there in time.
        if late_s > (WAKE_S if answered else ASLEEP_S):
            self.kill()
            raise MachineStalled(
                f"the referee was stopped or kept waiting: it came {late_s * 1000:.0f} ms after "
                f"the deadline to look for the answer to {_name(request)}"
            )
        if self._snapshot is not None:
            oversleep_us = (time.perf_counter_ns() - started) // 1000 - int(timeout_s * 1e6)
            self.stall = stall_since(self.pid or 0, self._snapshot, oversleep_us)
        half = f"; only half a line came: {_excerpt(data)}" if data else ""
        text = f"no answer to {_name(request)} within {timeout_s * 1000:.0f} ms{half}"
        self._fail(BotTimeout, text)

    def _wrong_type(self, request: Request, reply: Reply) -> NoReturn:
        if type(reply) is ErrorReply and reply.illegal and isinstance(request, MoveAsk):
            self._fail(BotIllegalMove, reply.message[:500])
        if type(reply) is ErrorReply:
            self._fail(BotCrash, f"gave up at {_name(request)}: {reply.message[:500]}")
        kind = str(type(reply).__struct_config__.tag)
        self._fail(BotProtocolError, f"answered {_name(request)} with a message of type {kind!r}")

    def _check_echo(self, request: Request, ply: int) -> None:
        if isinstance(request, MoveAsk) and ply != request.ply:
            text = f"answered {_name(request)} with the answer to ply {ply}"
            self._fail(BotProtocolError, text)

    def _ended(self, request: Request, seen: str, after: str = "") -> NoReturn:
        """A pipe is closed: find out why, and say so."""
        outcome = self._supervision.outcome
        self._supervision.wait_ended(LAST_REPORT_S)
        when = f"when asked for {_name(request)}{after}"
        if outcome.failed:
            self._fail(BotCrash, outcome.failed)
        if outcome.limit:
            kind = OVER_LIMIT.get(outcome.limit, BotCrash)
            self._fail(kind, f"ended by the harness {when}: {outcome.limit_text}")
        if outcome.killed is not None:
            self._fail(BotCrash, f"killed by {_signal_name(outcome.killed)} {when}")
        if outcome.exited is not None:
            self._fail(BotCrash, f"exited with status {outcome.exited} {when}")
        if outcome.closed:
            self._fail(BotCrash, f"its supervisor was killed {when}")
        self._fail(BotCrash, f"{seen} {when}")

    def _fail(
        self, kind: type[BotFailure], text: str, cause: BaseException | None = None
    ) -> NoReturn:
        """End the bot, then raise, with its last words."""
        self.kill()
        lines = [line for line in self._supervision.outcome.stderr.splitlines() if line.strip()]
        if lines:
            text += "; its last words on stderr: " + " | ".join(lines[-9:])[-900:]
        raise kind(text) from cause


def _name(request: Request) -> str:
    """The question in words."""
    if isinstance(request, MoveAsk):
        return f"move (ply {request.ply})"
    return str(type(request).__struct_config__.tag)


def _excerpt(data: bytes, limit: int = 80) -> str:
    """The beginning of what a bot wrote."""
    return repr(data[:limit].decode("utf-8", "replace")) + ("..." if len(data) > limit else "")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
