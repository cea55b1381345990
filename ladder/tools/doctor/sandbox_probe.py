"""A probe that is started as a bot is and tries to open the database for writing."""

from __future__ import annotations

import os
import sys
import tempfile
from enum import StrEnum
from pathlib import Path

from ladder.match.process.confinement import Confinement
from ladder.match.process.supervisor_client import SupervisorClient

WRITABLE, SEALED = 10, 11
PROBE = f"""
import os, sys
try:
    os.close(os.open(sys.argv[1], os.O_RDWR))
except OSError:
    sys.exit({SEALED})
sys.exit({WRITABLE})
"""
TIMEOUT_S = 20.0


class Reach(StrEnum):
    """The outcome of the probe."""

    WRITABLE = "writable"
    SEALED = "sealed"
    """The probe could not open the file for writing."""
    UNKNOWN = "unknown"
    """The probe could not run."""


def probe_database(database: str, confinement: Confinement) -> tuple[Reach, str]:
    """Start the probe with a bot's limits and sandbox; it changes nothing in the file.

    Returns:
        The outcome, and the reason if it is UNKNOWN.

    Raises:
        OSError: no process can be started.

    """
    path = os.path.abspath(database)
    with tempfile.TemporaryDirectory() as folder:
        client = SupervisorClient.start(
            (sys.executable, "-I", "-S", "-c", PROBE, path),
            folder,
            confinement,
            environment={},
        )
        client.wait_ended(TIMEOUT_S)
        client.kill()
    report = client.report
    if report.exited == WRITABLE:
        return Reach.WRITABLE, ""
    if report.exited == SEALED:
        return Reach.SEALED, ""
    reason = report.failed or " ".join(report.stderr.split()) or "it gave no reason"
    sandbox = confinement.sandbox
    return Reach.UNKNOWN, f"{Path(sandbox[0]).name if sandbox else 'the probe'}: {reason}"
