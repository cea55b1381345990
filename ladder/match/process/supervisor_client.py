"""The harness's end of a supervisor: start it, read its reports, end its bot."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import msgspec

from db.records.launch import Start
from ladder.match.process import orphans, supervisor
from ladder.match.process.cgroups import cached_parent_group
from ladder.match.process.confinement import Confinement
from ladder.match.process.limits import end_group
from ladder.match.process.sandbox import sandbox_words

RUN = f"import sys; sys.path.append(sys.argv.pop(1)); from {supervisor.__name__} import run; run()"
"""The supervisor's program. It imports the module, because Python caches no bytecode of scripts,
and compiling would cost 3 ms at each start."""
PACKAGES = str(Path(supervisor.__file__).parents[supervisor.__name__.count(".")])
"""The folder of this project's packages, the last one on the supervisor's import path."""
SUPERVISOR = (sys.executable, "-I", "-S", "-c", RUN, PACKAGES)
KILL_S = 1.0
"""How long the supervisor may take to end a bot before the harness does it."""
CLEANUP_S = 0.1
"""How long to wait until the scratch folder is removed; for a large one that continues later."""
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
class SupervisorReport:
    """The events that a supervisor has reported so far."""

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
    """Whether the supervisor has ended, after removing the scratch folder."""

    @property
    def ended(self) -> bool:
        """Whether the reason for the bot's end is known, or never will be."""
        return self.closed or self.cause is not None

    @property
    def fault(self) -> str:
        """The fault of the machine that ended the bot, or "" if it was the bot's own failure."""
        if self.cause is EndCause.BROKEN:
            return self.detail
        if self.closed and self.cause is None:
            return "its supervisor was killed; memory may be short (see the kernel's log)"
        return ""

    def apply(self, line: str) -> None:
        """Apply one line of the status pipe."""
        event, _, detail = line.partition(" ")
        if event == "started":
            self.pid = int(detail)
        elif event == "stderr":
            self.stderr = bytes.fromhex(detail).decode("utf-8", "replace")
        elif event == "gone":
            self.gone = True
        elif self.cause is None:
            self.cause, self.detail = EndCause(event), detail


@dataclass
class SupervisorClient:
    """A supervisor process, and the harness's ends of the pipes to it and to its bot."""

    popen: subprocess.Popen[bytes]
    stdin: int
    """The writing end of the bot's standard input, non-blocking."""
    stdout: int
    """The reading end of the bot's standard output."""
    control: int
    """The writing end of the supervisor's control pipe: closing it ends the bot."""
    status: int
    """The reading end of the supervisor's status pipe."""
    scratch: Path
    """The bot's scratch folder, also its HOME."""
    log_path: Path | None
    group: str
    """The folder planned for the bot's control group, or "" for none."""
    report: SupervisorReport = field(default_factory=SupervisorReport)
    pidfd: int = -1
    unread: bytes = b""
    is_killed: bool = False
    control_lock: threading.Lock = field(default_factory=threading.Lock)
    """Guards `control`, which any thread may close."""

    @classmethod
    def start(cls, start: Start, confinement: Confinement, name: str = "bot") -> SupervisorClient:
        """Start a supervisor, which starts the bot, without waiting for either.

        Args:
            start: how to start the bot.
            confinement: its limits, sandbox and log folder.
            name: the beginning of its log file's name.

        Raises:
            OSError: the log folder or the process cannot be created.

        """
        reap_finished()
        mark = f"ladder-{os.getpid()}-{secrets.token_hex(8)}"
        scratch = os.path.join(tempfile.gettempdir(), mark)
        command, folder = start.argv, start.folder
        if start.copied:
            own = f"{scratch}/files"
            command = tuple(word.replace(start.copied, own) for word in command)
            folder = folder.replace(start.copied, own)
        log = None
        if confinement.logs is not None:
            confinement.logs.mkdir(parents=True, exist_ok=True)
            log = _log_path(confinement.logs, name)
        parent = cached_parent_group()
        group = "" if parent is None else f"{parent}/{mark}"
        environment = dict(start.environment)
        before = sandbox_words(confinement.sandbox, command, folder, scratch, environment)
        limits = msgspec.structs.asdict(confinement.limits)
        options = {
            **limits,
            "address_mb": limits["address_mb"] or start.address_mb,
            "folder": folder,
            "scratch": scratch,
            "copy": start.copied,
            "log": log,
            "group": group,
        }
        words = [f"{name}={value}" for name, value in options.items() if value]
        their_stdin, stdin = os.pipe()
        stdout, their_stdout = os.pipe()
        their_control, control = os.pipe()
        status, their_status = os.pipe()
        words += [f"control={their_control}", f"status={their_status}"]
        orphans.adopt_orphans()
        try:
            with orphans.start_lock:
                popen = subprocess.Popen(
                    (*SUPERVISOR, *words, "--", *before, *command),
                    stdin=their_stdin,
                    stdout=their_stdout,
                    stderr=subprocess.DEVNULL,
                    env=_environment(scratch, environment),
                    pass_fds=(their_control, their_status),
                    start_new_session=True,
                )
                orphans.supervisors.add(popen.pid)
        except BaseException:
            for descriptor in (stdin, stdout, control, status):
                os.close(descriptor)
            raise
        finally:
            for descriptor in (their_stdin, their_stdout, their_control, their_status):
                os.close(descriptor)
        for descriptor in (stdin, status):
            os.set_blocking(descriptor, False)
        return cls(popen, stdin, stdout, control, status, Path(scratch), log, group)

    def read_status(self, timeout_s: float) -> None:
        """Read the supervisor's next reports; return at the first ones or at the timeout."""
        poller = select.poll()
        poller.register(self.status, select.POLLIN)
        if not poller.poll(timeout_s * 1000):
            return
        data = os.read(self.status, 65536)
        if not data:
            self.report.closed = True
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            self.report.apply(line.decode())
        if self.report.pid is not None and self.pidfd < 0:
            with contextlib.suppress(OSError):  # it has ended since
                self.pidfd = os.pidfd_open(self.report.pid)

    def wait(self, is_met: Callable[[], bool], timeout_s: float) -> bool:
        """Read reports until a condition is met; return False at the timeout."""
        deadline = time.monotonic() + timeout_s
        while not is_met():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.read_status(left)
        return True

    def wait_ended(self, timeout_s: float) -> bool:
        """Wait until the reason for the bot's end is known; return False at the timeout."""
        return self.wait(lambda: self.report.ended, timeout_s)

    def request_end(self) -> None:
        """Make the supervisor end the bot, without waiting; may be called from any thread.

        A pending `BotProcess.ask` then raises `BotCrash`, and its thread still has to call `kill`.
        """
        with self.control_lock:
            control, self.control = self.control, -1
            if control >= 0:
                os.close(control)

    def kill(self) -> None:
        """Kill the bot and everything it started, and wait until that is done.

        Kills the bot's first process here and now; the supervisor does the rest. If the supervisor
        was killed or takes longer than KILL_S, the remaining processes are found as our children
        and by the bot's control group.
        """
        if self.is_killed:
            return
        self.is_killed = True
        if self.pidfd < 0:
            self.read_status(0)
        if self.pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        self.request_end()
        report = self.report
        if self.wait(lambda: report.gone or report.closed, KILL_S):
            self.wait(lambda: report.closed, CLEANUP_S)
        if not report.gone and report.cause not in (EndCause.FAILED, EndCause.BROKEN):
            self.popen.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(KILL_S)
            if self.group:
                end_group(self.group, KILL_S)
            orphans.end_orphans()
            shutil.rmtree(self.scratch, ignore_errors=True)
        for descriptor in (self.stdin, self.stdout, self.status, self.pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        if report.closed:
            self.popen.wait()
            orphans.supervisors.discard(self.popen.pid)
        else:
            unreaped.append(self.popen)


unreaped: list[subprocess.Popen[bytes]] = []
"""Supervisors that were still removing a large scratch folder after `kill`."""


def reap_finished() -> None:
    """Reap the supervisors in `unreaped` that have ended since."""
    for popen in unreaped.copy():
        if popen.poll() is not None:
            orphans.supervisors.discard(popen.pid)
            with contextlib.suppress(ValueError):  # another thread was faster
                unreaped.remove(popen)


def _environment(scratch: str, extra: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a bot."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "HOME": scratch,
        "TMPDIR": scratch,
        "PYTHONHASHSEED": "0",
        **{f"{library}_NUM_THREADS": "1" for library in ONE_THREAD},
        **extra,
    }


def _log_path(folder: Path, bot: str) -> Path:
    """Return a new path for the stderr of a bot's process, named after the bot."""
    plain = re.sub(r"[^A-Za-z0-9._+-]", "_", bot)[:60].lstrip(".") or "bot"
    return folder.absolute() / f"{plain}-{os.getpid()}-{secrets.token_hex(4)}.log"
