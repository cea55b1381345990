"""The harness's end of a supervisor: start it, read its reports, end its bot."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from db.records.launch import Limits, Start
from ladder.errors import UsageError
from ladder.match.process import supervisor
from ladder.match.process.cgroups import cached_parent_group, end_group, make_group
from ladder.match.process.leftovers import clear
from ladder.match.process.limits import LimitMonitor
from ladder.match.process.sandbox import Confinement, sandbox_words

RUN = f"import sys; sys.path.append(sys.argv.pop(1)); from {supervisor.__name__} import run; run()"
"""The supervisor's program. It imports the module, because Python caches no bytecode of scripts,
and compiling would cost 3 ms at each start."""
PACKAGES = str(Path(supervisor.__file__).parents[supervisor.__name__.count(".")])
"""The folder of this project's packages, the last one on the supervisor's import path."""
SUPERVISOR = (sys.executable, "-I", "-S", "-c", RUN, PACKAGES)
KILL_S = 1.0
"""How long the supervisor may take to end a bot before the harness does it."""
ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMBA")
"""Libraries that start a thread per processor, by the prefix of their environment variable."""


class EndCause(StrEnum):
    """Why a bot ended, as its supervisor reports it."""

    FAILED = "failed"
    """It could not be started."""
    BROKEN = "broken"
    """The machine did not let the supervisor start or supervise it."""
    MEMORY = "memory"
    """Over its limit."""
    PROCESSES = "processes"
    """Over its limit."""
    EXITED = "exited"
    """By itself; the detail is its exit status."""
    KILLED = "killed"
    """By a signal that the supervisor did not send; the detail is its number."""


@dataclass
class SupervisorClient:
    """A supervisor process, the harness's ends of all pipes, and what it has reported so far."""

    popen: subprocess.Popen[bytes]
    stdin: int
    """The writing end of the bot's standard input, non-blocking."""
    stdout: int
    """The reading end of the bot's standard output."""
    connection: socket.socket
    """Connects to the supervisor, which reports events; its end ends the bot."""
    scratch: Path
    """The bot's scratch folder, also its HOME."""
    log_path: Path | None
    group: str
    """The folder of the bot's control group, or "" for none."""
    unread: bytes = b""
    """The beginning of a report."""
    pid: int | None = None
    """Process id of the bot, once it runs."""
    cause: EndCause | None = None
    """Why the bot ended, once that is known."""
    detail: str = ""
    """A text or number about the cause."""
    stderr: str = ""
    """The end of the bot's stderr, once it has ended."""
    gone: bool = False
    """Whether no process of the bot is alive."""
    closed: bool = False
    """Whether the supervisor has ended."""

    @classmethod
    def start(cls, start: Start, confinement: Confinement, name: str = "bot") -> SupervisorClient:
        """Start a supervisor, which starts the bot, without waiting for either.

        Args:
            start: how to start the bot.
            confinement: its limits, sandbox and log folder.
            name: the beginning of its log file's name.

        Raises:
            OSError: the process cannot be created.
            UsageError: the log folder cannot be created.

        """
        mark = f"ladder-{os.getpid()}-{os.urandom(8).hex()}"
        scratch = os.path.join(tempfile.gettempdir(), mark)
        command, folder = start.argv, start.folder
        if start.copied:
            own = f"{scratch}/files"
            command = tuple(word.replace(start.copied, own) for word in command)
            folder = folder.replace(start.copied, own)
        log = None
        if confinement.logs is not None:
            _make_log_folder(confinement.logs)
            plain = re.sub(r"[^A-Za-z0-9._+-]", "_", name)[:60].lstrip(".") or "bot"
            log = confinement.logs.absolute() / f"{plain}-{os.getpid()}-{os.urandom(4).hex()}.log"
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            "HOME": scratch,
            "TMPDIR": scratch,
            "PYTHONHASHSEED": "0",
            **{f"{library}_NUM_THREADS": "1" for library in ONE_THREAD},
        }
        extra = dict(start.environment)
        before = sandbox_words(confinement.sandbox, command, folder, scratch, extra)
        limits = msgspec.structs.asdict(confinement.limits)
        ours, theirs = socket.socketpair()
        group = make_group(cached_parent_group(), mark, confinement.limits)
        options = {
            **limits,
            "address_mb": limits["address_mb"] or start.address_mb,
            "folder": folder,
            "scratch": scratch,
            "copy": start.copied,
            "log": log,
            "group": group,
            "socket": theirs.fileno(),
        }
        words = [f"{name}={value}" for name, value in options.items() if value]
        with theirs:
            try:
                popen = subprocess.Popen(
                    (*SUPERVISOR, *words, "--", *before, *command),
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**environment, **extra},
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
            except BaseException:
                ours.close()
                end_group(mark)
                raise
        assert popen.stdin is not None and popen.stdout is not None  # noqa: S101, PT018 - for mypy
        os.set_blocking(popen.stdin.fileno(), False)
        stdin, stdout = popen.stdin.fileno(), popen.stdout.fileno()
        return cls(popen, stdin, stdout, ours, Path(scratch), log, group)

    @property
    def fault(self) -> str:
        """The fault of the machine that ended the bot, or "" if it was the bot's own failure."""
        if self.cause is EndCause.BROKEN:
            return self.detail
        if self.closed and self.cause is None and not self.gone:
            return "its supervisor was killed; memory may be short (see the kernel's log)"
        return ""

    def read_reports(self, timeout_s: float) -> None:
        """Read the supervisor's next reports; return at the first ones or at the timeout."""
        self.connection.settimeout(timeout_s)
        try:
            data = self.connection.recv(65536)
        except (TimeoutError, BlockingIOError):
            return
        self.closed = not data
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            event, _, detail = line.decode().partition(" ")
            if event == "started":
                self.pid = int(detail)
            elif event == "stderr":
                self.stderr = bytes.fromhex(detail).decode("utf-8", "replace")
            elif event == "gone":
                self.gone = True
            elif self.cause is None:
                self.cause, self.detail = EndCause(event), detail

    def check_limits(self, limits: Limits) -> None:
        """Look for the cause that a supervisor has not reported: a limit that its bot exceeds.

        On a busy machine the supervisor may not have run for long.
        """
        self.read_reports(0)
        if self.cause is not None:
            return
        values = {**msgspec.structs.asdict(limits), "group": self.group}
        options = {name: str(value) for name, value in values.items() if value}
        if excess := LimitMonitor(options, self.popen.pid).find_excess():
            cause, _, self.detail = excess.partition(" ")
            self.cause = EndCause(cause)

    def wait(self, is_met: Callable[[], object], timeout_s: float) -> None:
        """Read reports until a condition is met or the supervisor ends, or until the timeout."""
        deadline = time.monotonic() + timeout_s
        while not (self.closed or is_met()) and (left := deadline - time.monotonic()) > 0:
            self.read_reports(left)

    def request_end(self) -> None:
        """Make the supervisor end the bot, without waiting; may be called from any thread.

        A pending question then raises `BotCrash`, and its thread still has to call `kill`.
        """
        with contextlib.suppress(OSError):  # it has ended
            self.connection.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        """Kill the bot and everything it started, and wait until that is done.

        The supervisor does it, and removes the scratch folder, which may take longer than the call.
        If it was killed or takes longer than KILL_S, the harness does.
        """
        if self.popen.returncode is not None:
            return
        with self.popen, self.connection:
            self.request_end()
            self.wait(lambda: self.gone, KILL_S)
            if not self.gone:
                self.popen.kill()
            self.popen.wait()
            if not self.gone:
                clear(self.scratch)


def _make_log_folder(folder: Path) -> None:
    """Create the folder of logs. Raises UsageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        is_file = isinstance(error, FileExistsError | NotADirectoryError)
        remedy = "move the file away" if is_file else "choose a database in another folder"
        raise UsageError(
            f"what bots write to stderr cannot be stored in {folder} ({error.strerror}): {remedy}"
        ) from error
