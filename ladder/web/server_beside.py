"""A server beside a run: a process of its own, which ends with the run, however the run ends."""

import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ladder.match.process.confinement import Confinement
from ladder.runs.settings import LIMIT_OPTIONS
from ladder.signals import wait_ready

PORT = 8344
START_S = 20.0
"""After so long without an address the run goes on without the server."""
END_S = 3.0


@contextmanager
def server_beside(
    database: str, confinement: Confinement, tell: Callable[[str], object]
) -> Iterator[None]:
    """Serve a database while the block runs; `tell` is given a sentence that says where.

    Bots that are played against there have the bounds of the run's.

    The server reads its end from a pipe that the kernel closes with this process.
    """
    words = ["serve", "--db", database, "--port", str(_free_port()), "--until-stdin-ends"]
    words += options_of(confinement)
    with subprocess.Popen(
        [sys.executable, "-c", "from ladder.cli.main import main; main()", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the run, which ends the server when it has saved
    ) as process:
        assert process.stdin is not None  # noqa: S101 - asked for above
        assert process.stdout is not None  # noqa: S101 - asked for above
        try:
            ready = wait_ready(process.stdout.fileno(), timeout_s=START_S)
            address = process.stdout.readline().decode().strip() if ready else ""
            if address:
                tell(f"the run can be watched at {address} until it ends")
            else:
                tell("warning: the server did not start; the run goes on without it")
            yield
        finally:
            process.stdin.close()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()


def options_of(confinement: Confinement) -> list[str]:
    """Return the options by which a command starts its bots with these limits and sandbox."""
    words = ["--sandbox", shlex.join(confinement.sandbox) or "none"]
    for name, option in LIMIT_OPTIONS.items():
        value = getattr(confinement.limits, name)
        if value is not None:
            words += [option, str(value)]
    return words


def _free_port() -> int:
    """Return the usual port, or 0 for any when another program holds it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT
