"""Ten probes of a sandbox, made by a program that is started as a bot is."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import tempfile
from pathlib import Path

from db.records.launch import Start
from engine.cache import cache_root
from ladder.match.process.sandbox import Confinement
from ladder.match.process.supervisor_client import EndCause, SupervisorClient

PROBE = """
import json, os, socket, sys
given = json.loads(sys.argv[1])

def write(path):
    with open(path, "w"):
        pass

def connect(*address):
    socket.create_connection(address, timeout=2).close()

def send(*address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(address)

attempts = {
    "connect to this machine": lambda: connect("127.0.0.1", given["port"]),
    "reach the network": lambda: send("192.0.2.1", 9),
    "read the home": lambda: open(given["home"]).close(),
    "write into the home": lambda: write(given["home"] + ".written"),
    "open the database": lambda: os.close(os.open(given["database"], os.O_RDWR)),
    "read files of others in /tmp": lambda: open(given["temporary"]).close(),
    "signal another process": lambda: os.kill(given["process"], 0),
    "see another process": lambda: os.stat("/proc/%d" % given["process"]),
    "write into the system": lambda: write("/usr/ladder-probe"),
}
done = []
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    done.append(name)
try:
    write(os.path.join(os.environ["TMPDIR"], "probe"))
except OSError:
    done.append("not write into its scratch folder")
print(json.dumps(done), flush=True)
"""
PROBES = 10
"""Attempts of the probe, of which only the last one, at its own scratch folder, must succeed."""
TIMEOUT_S = 20.0


class ProbeFailed(Exception):
    """The probe could not be started."""


def probe_sandbox(confinement: Confinement, database: str | None = None) -> list[str]:
    """Return what a bot with these limits and this sandbox can do and must not, in words.

    Files are made for the probe in the cache folder and in /tmp, and removed again.

    Args:
        confinement: limits and sandbox.
        database: the file of the database; None for a new file.

    Raises:
        ProbeFailed: the probe did not run.
        OSError: no process can be started.

    """
    cache_root().mkdir(parents=True, exist_ok=True)
    with (
        tempfile.NamedTemporaryFile(dir=cache_root(), prefix="probe-") as home,
        tempfile.NamedTemporaryFile(prefix="ladder-probe-") as temporary,
        tempfile.TemporaryDirectory() as folder,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        given = {
            "port": server.getsockname()[1],
            "home": home.name,
            "database": home.name if database is None else os.path.abspath(database),
            "temporary": temporary.name,
            "process": os.getpid(),
        }
        client = SupervisorClient.start(
            Start((sys.executable, "-I", "-S", "-c", PROBE, json.dumps(given)), folder), confinement
        )
        client.wait(lambda: client.cause, TIMEOUT_S)
        answer = b""
        with contextlib.suppress(BlockingIOError):  # nothing was printed
            answer = os.read(client.stdout, 1 << 16)
        client.kill()
        Path(f"{home.name}.written").unlink(missing_ok=True)
        Path("/usr/ladder-probe").unlink(missing_ok=True)
    if not answer or client.cause is None:
        failed = client.detail if client.cause is EndCause.FAILED else ""
        raise ProbeFailed(failed or " ".join(client.stderr.split()) or "it gave no answer")
    found: list[str] = json.loads(answer)
    return found
