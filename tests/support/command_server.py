"""Runs `ladder` commands as forks of one process that has the program's modules loaded already.

A fresh interpreter spends about a second of processor time on imports before a command does
anything. A fork is a process of its own all the same: own folder, environment, processors,
descriptors, signals and exit code. Tests of what an interpreter does at its start, or of signals at
any moment, start real ones.
"""

import array
import contextlib
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LATER = ("numba", "scipy")
"""Loaded by the commands that need them."""


class CommandServer:
    """The client's end: starts the server when it is first asked, and ends it with `close`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def run(
        self, words: list[str], folder: Path, environment: dict[str, str], timeout: float
    ) -> tuple[int, str, str]:
        """A command's exit code (negative: the signal that ended it), standard output and error.

        Raises:
            TimeoutError: the command took longer than `timeout` seconds; it was killed.

        """
        connection = self._connection()
        with (
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
            open(os.devnull, "rb") as nothing,
        ):
            request = {
                "words": words,
                "folder": str(folder),
                "environment": environment,
                "cpus": sorted(os.sched_getaffinity(0)),
            }
            descriptors = array.array("i", (nothing.fileno(), out.fileno(), err.fileno()))
            connection.sendmsg(
                [json.dumps(request).encode()],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)],
            )
            pid = int(connection.recv(64))
            if not select.select([connection], [], [], timeout)[0]:
                os.kill(pid, signal.SIGKILL)
                connection.recv(64)
                raise TimeoutError(f"ladder {' '.join(words)} took more than {timeout:g} s")
            code = int(connection.recv(64))
            out.seek(0)
            err.seek(0)
            return code, out.read().decode(), err.read().decode()

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


def load_program() -> None:
    """Import every module of the program."""
    for package in ("engine", "db", "ladder", "reports"):
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not module.name.startswith(("db.migrations.", "engine.")):
                importlib.import_module(module.name)


def serve(descriptor: int) -> None:
    """Load the program and fork for every request until the other end closes."""
    connection = socket.socket(fileno=descriptor)
    load_program()
    sys.path[0] = ""  # as `python -c` has it
    while True:
        request, ancillary, _, _ = connection.recvmsg(1 << 20, socket.CMSG_SPACE(3 * 4))
        if not request:
            return
        descriptors = array.array("i")
        descriptors.frombytes(ancillary[0][2])
        pid = os.fork()
        if pid == 0:
            connection.close()
            _become(json.loads(request), list(descriptors))
        for number in descriptors:
            os.close(number)
        connection.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(request: dict[str, Any], descriptors: list[int]) -> None:
    """Be the command: nothing of the server may be left, and nothing after it may run."""
    code = 1
    try:
        os.setsid()
        for target, number in enumerate(descriptors):
            os.dup2(number, target)
            os.close(number)
        os.sched_setaffinity(0, request["cpus"])  # as a child of the test would have them
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = ["ladder", *request["words"]]
        sys.stdin, sys.stdout, sys.stderr = (
            open(target, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole life
            for target, mode in ((0, "r"), (1, "w"), (2, "w"))
        )
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
