"""The harness's end of a supervisor: start one, hear what became of the bot, end it surely."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from db.records.launch import Limits
from ladder.match.process import orphans, supervisor
from ladder.match.process.cgroups import Place, end_group, find_place, prepare_place
from ladder.match.process.confinement import Confinement
from ladder.match.process.log_budget import log_path

RUN = f"import sys; sys.path.append(sys.argv.pop(1)); from {supervisor.__name__} import run; run()"
"""Imported rather than run as a script, because Python keeps only imports compiled: 3 ms."""
PACKAGES = str(Path(supervisor.__file__).parents[supervisor.__name__.count(".")])
"""The folder in which the supervisor finds this package; it comes last on its path."""
KILL_S = 1.0
"""How long the supervisor may take to end a bot before it is taken for broken."""
TIDY_S = 0.1
"""How long we wait for the removal of the scratch folder; a large one goes on behind our back."""
ONE_THREAD = ("OMP", "OPENBLAS", "MKL", "NUMBA")
"""Libraries that would start a thread per processor, by the prefix of their variable."""


@dataclass
class SupervisorReport:
    """All that a supervisor has told of its bot so far."""

    pid: int | None = None
    """Of the bot, once it runs."""
    has_children: bool = False
    """The bot has, or had, more than one process."""
    failed: str = ""
    """Why the bot could not be started."""
    limit: str = ""
    """Which kind of limit was passed: memory, processes, written, scratch or cpu."""
    limit_text: str = ""
    exited: int | None = None
    """The bot's exit status, when it ended by itself."""
    killed: int | None = None
    """The number of the signal that ended the bot, unless that was ours."""
    stderr: str = ""
    """The last that the bot wrote there."""
    gone: bool = False
    """Nothing of the bot is alive."""
    closed: bool = False
    """The supervisor has ended, its scratch folder removed."""

    @property
    def ended(self) -> bool:
        """Whether it is known why the bot is no more."""
        return bool(self.failed or self.limit or self.closed) or (
            self.exited is not None or self.killed is not None
        )

    def apply(self, line: str) -> None:
        """One line of the status pipe."""
        event, _, detail = line.partition(" ")
        if event == "started":
            self.pid = int(detail)
        elif event == "family":
            self.has_children = True
        elif event == "failed":
            self.failed = detail
        elif event == "limit":
            self.limit, _, self.limit_text = detail.partition(" ")
        elif event == "exited":
            self.exited = int(detail)
        elif event == "killed":
            self.killed = int(detail)
        elif event == "stderr":
            self.stderr = bytes.fromhex(detail).decode("utf-8", "replace")
        elif event == "gone":
            self.gone = True


@dataclass
class SupervisorClient:
    """One supervisor as the harness holds it, and the pipes to it and to its bot."""

    popen: subprocess.Popen[bytes]
    stdin: int
    """The writing end of the bot's standard input; it does not block."""
    stdout: int
    """The reading end of the bot's standard output."""
    control: int
    """The writing end of the supervisor's control pipe: closing it ends the bot."""
    status: int
    """The reading end of the supervisor's status pipe."""
    scratch: str
    """The bot's scratch folder, which also marks all its processes (as HOME)."""
    log_path: Path | None
    group: str
    """The folder of the bot's control group; it exists only if one could be made. Empty if not."""
    report: SupervisorReport = field(default_factory=SupervisorReport)
    pidfd: int = -1
    unread: bytes = b""
    is_killed: bool = False
    control_lock: threading.Lock = field(default_factory=threading.Lock)
    """Held over every use of `control`, which any thread may close."""

    @classmethod
    def start(
        cls,
        command: tuple[str, ...],
        folder: str,
        confinement: Confinement,
        *,
        environment: Mapping[str, str],
        name: str = "bot",
    ) -> SupervisorClient:
        """Start a supervisor, which starts the command; does not wait for either.

        Args:
            command: the bot's program and its arguments.
            folder: the absolute folder in which it runs.
            confinement: its bounds.
            environment: the variables that it gets beside those of every bot.
            name: what its log is called after.

        Raises:
            OSError: the log folder or a process cannot be made.

        """
        reap_finishing()
        mark = f"ladder-{os.getpid()}-{secrets.token_hex(8)}"
        scratch = os.path.join(tempfile.gettempdir(), mark)
        log = None
        if confinement.logs is not None:
            confinement.logs.mkdir(parents=True, exist_ok=True)
            log = log_path(confinement.logs, name)
        with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:

            def pipe() -> tuple[int, int]:
                reading, writing = os.pipe()
                return reading, writing

            their_stdin, stdin = pipe()
            stdout, their_stdout = pipe()
            their_control, control = pipe()
            status, their_status = pipe()
            for descriptor in (their_stdin, their_stdout, their_control, their_status):
                theirs.callback(os.close, descriptor)
            for descriptor in (stdin, stdout, control, status):
                ours.callback(os.close, descriptor)
            words = [f"control={their_control}", f"status={their_status}"]
            words += [f"folder={folder}", f"scratch={scratch}", *format_limits(confinement.limits)]
            prefix = [
                word.replace("{scratch}", scratch).replace("{folder}", folder)
                for word in confinement.sandbox
            ]
            if log is not None:
                words.append(f"log={log}")
            group = ""
            if confinement.facilities.groups and (place := prepare_group_place()) is not None:
                group = f"{place.folder}/{mark}"
                words.append(f"group={group}")
            if confinement.facilities.signal_scope:
                words.append("scoped=1")
            python = [sys.executable, "-I", "-S", "-c", RUN, PACKAGES]
            orphans.adopt_orphans()
            with orphans.lock:
                popen = subprocess.Popen(
                    [*python, *words, "--", *prefix, *command],
                    stdin=their_stdin,
                    stdout=their_stdout,
                    stderr=subprocess.DEVNULL,
                    env=make_environment(scratch, environment),
                    pass_fds=(their_control, their_status),
                    start_new_session=True,
                )
                orphans.supervisors.add(popen.pid)
            ours.pop_all()
        for descriptor in (stdin, control, status):
            os.set_blocking(descriptor, False)
        return cls(popen, stdin, stdout, control, status, scratch, log, group)

    def begin_game(self) -> None:
        """The bot's CPU time counts anew; does not wake the supervisor, which looks in time."""
        self._write_control(b"game\n")

    def add_log_heading(self, line: str) -> None:
        """A line for the log, before whatever the bot writes from now on, if it writes anything."""
        if self.log_path is not None:
            self._write_control(b"head " + line.encode("utf-8", "replace")[:500] + b"\n")

    def _write_control(self, line: bytes) -> None:
        with self.control_lock:
            if self.control >= 0:
                with contextlib.suppress(BlockingIOError, BrokenPipeError):
                    os.write(self.control, line)

    def read_status(self, timeout_s: float) -> None:
        """Take what the supervisor tells; returns at the first news, or after the timeout."""
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

    def wait_ended(self, timeout_s: float) -> bool:
        """Wait until it is known why the bot ended; False: it still runs, as far as is known."""
        deadline = time.monotonic() + timeout_s
        while not self.report.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.read_status(left)
        return True

    def close_stdin(self) -> None:
        """End the bot's standard input."""
        stdin, self.stdin = self.stdin, -1
        if stdin >= 0:
            os.close(stdin)

    def request_end(self) -> None:
        """Have the supervisor end the bot, without waiting for it; from any thread."""
        with self.control_lock:
            control, self.control = self.control, -1
            if control >= 0:
                os.close(control)

    def kill(self) -> None:
        """End the bot and everything it started; returns when that is done.

        SIGKILL goes to the bot at once and from here, the rest is the supervisor's work. If the
        supervisor was killed or does not do it within KILL_S, whatever the bot has started is our
        child now, or in the bot's control group, or has its scratch folder as HOME.
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
        deadline = time.monotonic() + KILL_S
        while not report.closed and (left := deadline - time.monotonic()) > 0:
            was_gone = report.gone
            self.read_status(left)
            if report.gone and not was_gone:
                deadline = time.monotonic() + TIDY_S
        if not report.gone and not report.failed:
            self.popen.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(KILL_S)
            if self.group:
                end_group(self.group, KILL_S)
            orphans.end_orphans()
            kill_by_home(self.scratch)
            shutil.rmtree(self.scratch, ignore_errors=True)
        for descriptor in (self.stdin, self.stdout, self.status, self.pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        if report.closed:
            self.popen.wait()
            orphans.supervisors.discard(self.popen.pid)
        else:
            leaving.append(self.popen)


def format_limits(limits: Limits) -> list[str]:
    """The supervisor's ``name=value`` arguments."""
    named = msgspec.structs.asdict(limits)
    return [f"{name}={value}" for name, value in named.items() if value is not None]


leaving: list[subprocess.Popen[bytes]] = []
"""Supervisors still busy with removing a large scratch folder, to be reaped later."""


def reap_finishing() -> None:
    """Let go of the supervisors that have ended meanwhile."""
    for popen in leaving.copy():
        if popen.poll() is not None:
            orphans.supervisors.discard(popen.pid)
            with contextlib.suppress(ValueError):  # another thread was faster
                leaving.remove(popen)


@functools.cache
def prepare_group_place() -> Place | None:
    """Return the prepared place for control groups of bots, or None if they cannot be made."""
    place = find_place()
    return None if place is None else prepare_place(place)


def make_environment(scratch: str, extra: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a bot."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "HOME": scratch,
        "TMPDIR": scratch,
        "PYTHONHASHSEED": "0",
    }
    environment.update((f"{library}_NUM_THREADS", "1") for library in ONE_THREAD)
    environment.update(extra)
    return environment


def kill_by_home(scratch: str) -> int:
    """SIGKILL for every process whose HOME is this scratch folder; how many signals were sent.

    For what is left when a supervisor was killed: whatever replaced its own environment escapes.
    """
    mark = b"HOME=" + os.fsencode(scratch)
    sent = 0
    for _ in range(20):  # what forks while we look is found in a later round
        found = 0
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with contextlib.suppress(OSError):
                    if mark in Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                        os.kill(int(entry), signal.SIGKILL)
                        found += 1
        sent += found
        if not found:
            break
        time.sleep(0.005)
    return sent
