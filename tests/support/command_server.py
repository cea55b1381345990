"""Runs `ladder` commands as forks of one process that has the program's modules loaded already.

A fresh interpreter spends about a second of processor time on imports before a command does
anything. A fork is a process of its own all the same: own session, folder, environment, processors,
descriptors, signals and exit code. Tests of what an interpreter does at its start begin real ones.
"""

import array
import contextlib
import ctypes
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from db.store import Store

ROOT = Path(__file__).resolve().parents[2]
LATE = ("scipy.optimize", "scipy.sparse.csgraph", "scipy.special", "rich.progress")
"""Modules that the program imports when a function first needs them."""
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


class ForkedCommand:
    """A command that was started; has the methods of `subprocess.Popen` that tests use.

    Attributes:
        pid: of the command, which leads a session of its own.
        returncode: None until it was seen to end; negative: the signal that ended it.

    """

    def __init__(self, told: int, out: BinaryIO | None, err: BinaryIO | None) -> None:
        """`told` is where its process id comes from, and its exit code; `out`, `err` its files."""
        self._told, self._out, self._err = told, out, err
        self.returncode: int | None = None
        self.stdin: int | None = None
        self.pid = self._listen()

    def poll(self) -> int | None:
        """Its exit code, None while it runs."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code. Raises TimeoutError."""
        code = self._look(timeout)
        if code is None:
            raise TimeoutError(f"the command took more than {timeout:g} s")
        return code

    def communicate(self, text: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Give it its input, wait for its end; what it wrote. Raises TimeoutError."""
        if self.stdin is not None:
            with os.fdopen(self.stdin, "w") as pipe, contextlib.suppress(BrokenPipeError):
                pipe.write(text)
            self.stdin = None
        self.wait(timeout)
        texts = []
        for file in (self._out, self._err):
            assert file is not None, "its output went to a terminal"
            with file:
                file.seek(0)
                texts.append(file.read().decode())
        return texts[0], texts[1]

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout)[0]:
            self.returncode = self._listen()
            os.close(self._told)
        return self.returncode

    def _listen(self) -> int:
        """The next of the two numbers, no byte of the other."""
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self._told, 1)
            assert byte, "the command server died"
            line += byte
        return int(line)


class CommandServer:
    """The client's end: starts the server when it is first asked, and ends it with `close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def start(
        self,
        words: Iterable[object],
        folder: Path,
        environment: Mapping[str, str],
        *,
        stdin: int = subprocess.DEVNULL,
        terminal: int | None = None,
        busy_s: float | None = None,
        constants: Mapping[str, object] | None = None,
        heeds_permissions: bool = False,
    ) -> ForkedCommand:
        """Begin a command.

        Args:
            words: its arguments.
            folder: where it runs.
            environment: all of it.
            stdin: DEVNULL, or PIPE for a text that `communicate` gives.
            terminal: a descriptor that becomes its controlling terminal, instead of all others.
            busy_s: how long it waits for a database that another process keeps locked; None: as
                long as everybody.
            constants: values of other constants than the program's, by ``module:NAME``.
            heeds_permissions: it and its children write only what permissions allow, as root, too.

        """
        connection = self._connection()
        request = {
            "words": [*map(str, words)],
            "folder": str(folder),
            "environment": dict(environment),
            "cpus": sorted(os.sched_getaffinity(0)),
            "terminal": terminal is not None,
            "busy_s": busy_s,
            "constants": dict(constants or {}),
            "heeds_permissions": heeds_permissions,
        }
        told, telling = os.pipe()
        given, write = os.pipe()
        out, err = (None, None) if terminal is not None else _two_files()
        if terminal is None:
            assert out is not None
            assert err is not None
            three = (given, out.fileno(), err.fileno())
        else:
            three = (terminal, terminal, terminal)
        descriptors = array.array("i", (*three, telling))
        connection.sendmsg(
            [json.dumps(request).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
        )
        os.close(telling)
        os.close(given)
        command = ForkedCommand(told, out, err)
        if stdin == subprocess.PIPE:
            command.stdin = write
        else:
            os.close(write)  # an input that has ended
        return command

    def run(
        self,
        words: Iterable[object],
        folder: Path,
        environment: Mapping[str, str],
        *,
        timeout: float,
        busy_s: float | None = None,
        heeds_permissions: bool = False,
    ) -> tuple[int, str, str]:
        """A command's exit code (negative: the signal that ended it), standard output and error.

        Raises:
            TimeoutError: the command took longer than `timeout` seconds; it was killed.

        """
        words = [*words]
        command = self.start(
            words, folder, environment, busy_s=busy_s, heeds_permissions=heeds_permissions
        )
        try:
            command.wait(timeout)
        except TimeoutError:
            command.kill()
            raise TimeoutError(f"ladder {words} took more than {timeout:g} s") from None
        return command.wait(), *command.communicate()

    def close(self) -> None:
        """End the server."""
        if self._process is not None and self._socket is not None:
            self._socket.close()
            self._process.wait()
            self._process = self._socket = None

    def _connection(self) -> socket.socket:
        if self._socket is None or self._process is None or self._process.poll() is not None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                code = f"from tests.support.command_server import serve; serve({theirs.fileno()})"
                self._process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                )
            self._socket = ours
        return self._socket


def _two_files() -> tuple[BinaryIO, BinaryIO]:
    return tempfile.TemporaryFile(), tempfile.TemporaryFile()


def heed_permissions() -> None:
    """Give up the right of root to write whatever it likes, for this process and its children."""
    if os.getuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0  # children
    # The header of version 3 for this process; effective, permitted and inheritable, low and high.
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0
    for place in range(3):
        sets[place] &= ~(1 << CAP_DAC_OVERRIDE)
    assert libc.capset(header, sets) == 0


def load_program() -> None:
    """Import every module of the program."""
    for package in ("engine", "db", "ladder", "reports"):
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not module.name.startswith(("db.migrations.", "engine.")):
                importlib.import_module(module.name)
    for name in LATE:
        importlib.import_module(name)


def warm_up() -> None:
    """Run a command, so that what is made when it is first needed is there in all forks.

    These are the command line's parser, SQLAlchemy's statements, Alembic, the players' identities.
    """
    from ladder.cli.main import run_command

    former = os.getcwd()
    quiet = (contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()))
    with tempfile.TemporaryDirectory() as folder, quiet[0], quiet[1]:
        os.chdir(folder)
        try:
            assert run_command(["bots", "retire", "v1", "--db", "warm.db"]) == 2  # there is none
            assert run_command(["bots", "list"]) == 0
        finally:
            os.chdir(former)


def serve(descriptor: int) -> None:
    """Load the program and fork for every request until the other end closes."""
    connection = socket.socket(fileno=descriptor)
    load_program()
    warm_up()
    sys.path[0] = ""  # as `python -c` has it
    gc.freeze()  # a collection in a fork would copy every page
    running: dict[int, tuple[int, int]] = {}
    """The commands: a descriptor that is readable when one has ended, its id, whom to tell."""
    while True:
        ready = select.select([connection, *running], [], [])[0]
        for ended in ready:
            if ended in running:
                pid, telling = running.pop(ended)
                _, status = os.waitpid(pid, 0)
                with contextlib.suppress(BrokenPipeError):  # nobody waited for it
                    os.write(telling, f"{os.waitstatus_to_exitcode(status)}\n".encode())
                os.close(telling)
                os.close(ended)
        if connection not in ready:
            continue
        request, ancillary, _, _ = connection.recvmsg(1 << 20, socket.CMSG_SPACE(4 * 4))
        if not request:
            return
        descriptors = array.array("i")
        descriptors.frombytes(ancillary[0][2])
        *three, telling = descriptors
        pid = os.fork()
        if pid == 0:
            connection.close()
            for other, (_, told) in running.items():
                os.close(other)
                os.close(told)
            _become(json.loads(request), three, telling)
        for number in three:
            os.close(number)
        running[os.pidfd_open(pid)] = (pid, telling)


def _become(request: dict[str, Any], descriptors: list[int], telling: int) -> None:
    """Be the command: nothing of the server may be left, and nothing after it may run."""
    code = 1
    try:
        os.setsid()
        for target, number in enumerate(descriptors):
            os.dup2(number, target)
            os.close(number)
        if request["terminal"]:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.sched_setaffinity(0, request["cpus"])  # as a child of the test would have them
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        tempfile.tempdir = None  # it was found in another environment
        sys.argv = ["ladder", *request["words"]]
        sys.stdin, sys.stdout, sys.stderr = (
            open(target, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole life
            for target, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
        sys.stderr.reconfigure(line_buffering=True)
        if request["busy_s"] is not None:
            for method in (Store.open, Store.open_to_read):
                method.__kwdefaults__["busy_s"] = request["busy_s"]
        if request["heeds_permissions"]:
            heed_permissions()
        for name, value in request["constants"].items():
            module, _, constant = name.partition(":")
            assert hasattr(sys.modules[module], constant)
            setattr(sys.modules[module], constant, value)
        os.write(telling, f"{os.getpid()}\n".encode())
        os.close(telling)
        from ladder.cli.main import main

        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)
