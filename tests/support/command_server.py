"""Runs `ladder` commands as forks of one process that has the program's modules loaded already.

A fresh interpreter spends about a second of processor time on imports before a command does
anything. A fork is still a separate process: it has its own session, folder, environment,
processors, descriptors, signals and exit code. Tests of what an interpreter does at its start use
`Ladder.start_fresh` instead.
"""

import array
import atexit
import contextlib
import ctypes
import fcntl
import gc
import hashlib
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

ROOT = Path(__file__).resolve().parents[2]
LATE = ("scipy.optimize", "scipy.sparse.csgraph", "scipy.special", "rich.progress")
"""Modules that the program imports when a function first needs them."""
WARMING = (
    "run --bots random,stupid --games 2 --simulations 1 --concurrency 1",
    "match random stupid --games 2 --simulations 1 --concurrency 1",
    "report",
    "runs",
    "bots list",
)
"""Commands that the server runs before it forks. They count work: a run by time may warn of a
loaded machine, which a process does once."""
WELCOME = b"welcome"
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1


class ForkedCommand:
    """A started command, with the methods of `subprocess.Popen` that tests use.

    Attributes:
        pid: the command's process, which leads a session of its own.
        returncode: the exit code, once `poll` or `wait` returned it; negative for a signal.

    """

    def __init__(self, status: int, out: BinaryIO | None, err: BinaryIO | None) -> None:
        """Read the process id from the pipe `status`, which the exit code follows later."""
        self._status, self._out, self._err = status, out, err
        self.returncode: int | None = None
        self.stdin: int | None = None
        self.pid = self._read_number()

    def poll(self) -> int | None:
        """Return the exit code, or None while the command runs."""
        return self._poll(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code. Raises TimeoutError."""
        code = self._poll(timeout)
        if code is None:
            raise TimeoutError(f"the command took more than {timeout:g} s")
        return code

    def communicate(self, text: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Write the input, wait for the end, return the two outputs. Raises TimeoutError."""
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

    def printed_lines(self, *, err: bool = False) -> list[str]:
        """Return the whole lines that a running command has printed so far.

        The file position stays, for it is that of the command.
        """
        file = self._err if err else self._out
        assert file is not None, "its output went to a terminal"
        text = os.pread(file.fileno(), 1 << 20, 0).decode()
        return [line for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def send_signal(self, number: int) -> None:
        """Send a signal to a command that still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the command."""
        self.send_signal(signal.SIGKILL)

    def _poll(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = self._read_number()
            os.close(self._status)
        return self.returncode

    def _read_number(self) -> int:
        """Read one line, byte by byte: the next line belongs to the next call."""
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self._status, 1)
            assert byte, "the command server died"
            line += byte
        return int(line)


class CommandServer:
    """A client of the server of this test session, which starts with the session's first command.

    The server ends when its last client has closed its connection.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        """The server, if this client has started it."""
        self._socket: socket.socket | None = None

    def start(
        self,
        words: Iterable[object],
        folder: Path,
        environment: Mapping[str, str],
        *,
        stdin: int = subprocess.DEVNULL,
        terminal: int | None = None,
        heeds_permissions: bool = False,
        entry: str = "ladder.cli.main:main",
    ) -> ForkedCommand:
        """Start a command.

        Args:
            words: its arguments.
            folder: its working directory.
            environment: its whole environment.
            stdin: DEVNULL, or PIPE for an input that `communicate` writes.
            terminal: a descriptor that becomes its controlling terminal and standard streams.
            heeds_permissions: whether file permissions bind it and its children, even as root.
            entry: the function that runs the command, as `module:name`.

        """
        connection = self._connection()
        request = {
            "words": [*map(str, words)],
            "folder": str(folder),
            "environment": dict(environment),
            "cpus": sorted(os.sched_getaffinity(0)),
            "terminal": terminal is not None,
            "heeds_permissions": heeds_permissions,
            "entry": entry,
        }
        status, status_end = os.pipe()
        given, write = os.pipe()
        out, err = (None, None) if terminal is not None else _two_files()
        if terminal is None:
            assert out is not None
            assert err is not None
            three = (given, out.fileno(), err.fileno())
        else:
            three = (terminal, terminal, terminal)
        descriptors = array.array("i", (*three, status_end))
        connection.sendmsg(
            [json.dumps(request).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
        )
        os.close(status_end)
        os.close(given)
        command = ForkedCommand(status, out, err)
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
        **options: Any,
    ) -> tuple[int, str, str]:
        """Run a command; return its exit code (negative for a signal), output and error output.

        Options are those of `start`.

        Raises:
            TimeoutError: the command took longer than `timeout` seconds; it was killed.

        """
        words = [*words]
        command = self.start(words, folder, environment, **options)
        try:
            command.wait(timeout)
        except TimeoutError:
            command.kill()
            command.communicate()
            raise TimeoutError(f"ladder {words} took more than {timeout:g} s") from None
        return command.wait(), *command.communicate()

    def close(self) -> None:
        """Close the connection; wait for the end of the server if this client has started it."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            self._process.wait()
            self._process = None

    def _connection(self) -> socket.socket:
        from tests.support.shared import VARIABLE  # the server does without pytest

        # An abstract address, which is free again when the server has ended; a benchmark, which is
        # no session of tests, has a server of its own.
        session = os.environ.get(VARIABLE, f"{os.getpid()}")
        address = "\0ladder-tests-" + hashlib.sha256(session.encode()).hexdigest()
        while self._socket is None:
            assert self._process is None or self._process.poll() is None, "the server has died"
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with contextlib.suppress(ConnectionError):  # there is no server, or it is ending
                connection.connect(address)
                if connection.recv(len(WELCOME)):
                    self._socket = connection
                    continue
            connection.close()
            self._start_server(address)
        return self._socket

    def _start_server(self, address: str) -> None:
        """Start a server, unless another client has just started one."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            try:
                listener.bind(address)
            except OSError:
                return
            listener.listen()
            code = f"from tests.support.command_server import serve; serve({listener.fileno()})"
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
                pass_fds=(listener.fileno(),),
                stdin=subprocess.DEVNULL,
            )
            # It outlives this process if others use it, which must not be warned of that.
            atexit.register(setattr, self._process, "returncode", 0)


def _two_files() -> tuple[BinaryIO, BinaryIO]:
    return tempfile.TemporaryFile(), tempfile.TemporaryFile()


def drop_root_override() -> None:
    """Drop root's right to ignore file permissions, for this process and its children."""
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
    """Run commands, so that forks inherit what is made when it is first needed.

    These are the command line's parser, SQLAlchemy's statements, what identifies the harness, and
    what numba loads when it first reads or compiles a kernel.
    """
    from engine.compiled import njit
    from ladder.cli.main import run_command

    former = os.getcwd()
    quiet = (contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()))
    with tempfile.TemporaryDirectory() as folder, quiet[0], quiet[1]:
        os.chdir(folder)
        try:
            assert run_command(["bots", "retire", "v1", "--db", "warm.db"]) == 2  # no such file
            for command in WARMING:
                assert run_command([*command.split(), "--db", "warm.db"]) == 0, command
        finally:
            os.chdir(former)
    njit(lambda: None)()


def serve(descriptor: int) -> None:
    """Load the program, listen, and fork for every request until no client is left."""
    listener = socket.socket(fileno=descriptor)
    load_program()
    warm_up()
    sys.path[0] = ""  # as `python -c` has it
    gc.freeze()  # a collection in a fork would copy every page
    clients = {_welcome(listener)}
    running: dict[int, tuple[int, int]] = {}
    """By a descriptor that is readable when the command has ended: its id and its status pipe."""
    while clients:
        ready = select.select([listener, *clients, *running], [], [])[0]
        if listener in ready:
            clients.add(_welcome(listener))
        for ended in running.keys() & ready:
            pid, status_end = running.pop(ended)
            _, status = os.waitpid(pid, 0)
            with contextlib.suppress(BrokenPipeError):  # the test no longer waits
                os.write(status_end, f"{os.waitstatus_to_exitcode(status)}\n".encode())
            os.close(status_end)
            os.close(ended)
        for client in clients.intersection(ready):
            request, ancillary, _, _ = client.recvmsg(1 << 20, socket.CMSG_SPACE(4 * 4))
            if not request:
                clients.remove(client)
                client.close()
                continue
            descriptors = array.array("i")
            descriptors.frombytes(ancillary[0][2])
            *three, status_end = descriptors
            pid = os.fork()
            if pid == 0:
                for connection in (listener, *clients):
                    connection.close()
                for other, (_, other_end) in running.items():
                    os.close(other)
                    os.close(other_end)
                _run_command(json.loads(request), three, status_end)
            for number in three:
                os.close(number)
            running[os.pidfd_open(pid)] = (pid, status_end)


def _welcome(listener: socket.socket) -> socket.socket:
    """Accept a client; a word tells it that it was not refused by the end of the server."""
    client, _ = listener.accept()
    client.send(WELCOME)
    return client


def _run_command(request: dict[str, Any], descriptors: list[int], status_end: int) -> None:
    """Turn this fork of the server into the command, and exit with its code."""
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
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)
        if request["heeds_permissions"]:
            drop_root_override()
        os.write(status_end, f"{os.getpid()}\n".encode())
        os.close(status_end)
        module, _, name = request["entry"].partition(":")
        try:
            getattr(importlib.import_module(module), name)()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)
