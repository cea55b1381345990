"""Certificates and a Dask scheduler for tests of clusters."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

from distributed.security import Security


def make_certificates(folder: Path) -> tuple[str, ...]:
    """Write certificates and return the options that name them."""
    made = Security.temporary()  # type: ignore[no-untyped-call]
    words: list[str] = []
    for option, content in (
        ("--tls-ca-file", made.tls_ca_file),
        ("--tls-cert", made.tls_client_cert),
        ("--tls-key", made.tls_client_key),
    ):
        place = folder / f"{option[2:]}.pem"
        place.write_text(content)
        words += [option, str(place)]
    return tuple(words)


QUIET: Any = {"processes": False, "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
"""Arguments of a `LocalCluster` in this process that leaves the usual ports alone."""


def free_port() -> int:
    """Return a port that no process uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_scheduler(port: int, tls: tuple[str, ...], log: Path) -> "subprocess.Popen[bytes]":
    """Start `dask scheduler` on loopback; it removes a worker that is silent for 10 s."""
    with log.open("ab") as file:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1"),
                *("--port", str(port), "--dashboard-address", "127.0.0.1:0", *tls),
            ],
            env={**os.environ, "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "10s"},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
