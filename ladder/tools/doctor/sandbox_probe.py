"""Can a bot reach the database? Tried out by a process that is started just as a bot is."""

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
PATIENCE_S = 20.0


class Reach(StrEnum):
    """The outcome of the probe."""

    WRITABLE = "writable"
    SEALED = "sealed"
    """The process could not open the file for writing."""
    UNKNOWN = "unknown"
    """No process could be run so."""


def try_reach(database: str, confinement: Confinement) -> tuple[Reach, str]:
    """Start a process as a bot is started, inside its bounds, and let it open the file.

    It opens the file for writing and changes nothing.

    Returns:
        What came of it, and for UNKNOWN why.

    Raises:
        OSError: no process can be made.

    """
    path = os.path.abspath(database)
    with tempfile.TemporaryDirectory() as folder:
        client = SupervisorClient.start(
            (sys.executable, "-I", "-S", "-c", PROBE, path),
            folder,
            confinement,
            environment={},
        )
        client.wait_ended(PATIENCE_S)
        client.kill()
    report = client.report
    if report.exited == WRITABLE:
        return Reach.WRITABLE, ""
    if report.exited == SEALED:
        return Reach.SEALED, ""
    reason = report.failed or " ".join(report.stderr.split()) or "it gave no reason"
    sandbox = confinement.sandbox
    return Reach.UNKNOWN, f"{Path(sandbox[0]).name if sandbox else 'the probe'}: {reason}"
