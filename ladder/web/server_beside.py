"""A web server beside a run, in its own process, which ends with the run."""

import shlex
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ladder.match.process.sandbox import Confinement
from ladder.own_process import own_command
from ladder.runs.settings import LIMIT_NAMES
from ladder.signals import current_stop

PORT = 8344
START_S = 20.0
"""Time limit for the server's start, after which the run continues without it."""
END_S = 3.0


@contextmanager
def server_beside(
    database: str, confinement: Confinement, report: Callable[[str], object]
) -> Iterator[None]:
    """Serve a database while the block runs, and report the address.

    Bots in games against people have the run's limits and sandbox. The server stops when its
    standard input ends, which the kernel closes with this process.
    """
    words = ["serve", "--db", database, "--port", str(_free_port()), "--until-stdin-ends"]
    words += options_of(confinement)
    with subprocess.Popen(
        [*own_command("ladder.cli.main"), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C goes only to the run, which saves and then ends the server
    ) as process:
        assert process.stdin is not None  # noqa: S101 - asked for above
        assert process.stdout is not None  # noqa: S101 - asked for above
        try:
            ready = current_stop().wait_ready(process.stdout.fileno(), timeout_s=START_S)
            address = process.stdout.readline().decode().strip() if ready else ""
            if address:
                report(f"watch the run at {address}")
            else:
                report("warning: the web server did not start; the run continues without it")
            yield
        finally:
            process.stdin.close()
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()


def options_of(confinement: Confinement) -> list[str]:
    """Return the command-line options for these limits and this sandbox."""
    words = ["--sandbox", shlex.join(confinement.sandbox) or "none"]
    for field, name in LIMIT_NAMES.items():
        value = getattr(confinement.limits, field)
        option = f"--{name.replace('_', '-')}"
        if value is not None:
            words += [option, str(value)]
    return words


def _free_port() -> int:
    """Return the default port, or 0 for any port if it is in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT
