"""Sessions of a PostgreSQL server: their names, and the one that blocks others."""

import os
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, text

WRITER_LOCK = 0x43346C64
"""Advisory lock of the transaction that writes."""
_PREFIX = "ladder: "
_NAME_BYTES = 63
"""The server cuts longer application names."""

_BLOCKING = text(
    "SELECT pid, application_name, usename, writes, client_addr::text AS address, "
    "CASE WHEN wait_event = 'ClientRead' "
    "THEN extract(epoch FROM clock_timestamp() - state_change) END AS silent_s, "
    "extract(epoch FROM clock_timestamp() - xact_start) AS age_s "
    "FROM pg_stat_activity LEFT JOIN ("
    "SELECT pid, true AS writes FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND objsubid = 1 AND classid = 0 AND objid = :lock) AS writer USING (pid) "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND (writes OR xact_start IS NOT NULL) ORDER BY writes, xact_start LIMIT 1"
)


def make_session_name() -> str:
    """Return the application name of this process: its number, host and command."""
    program, *words = [Path(word).name for word in sys.argv[:2]] or ["python"]
    command = " ".join([program, *(word for word in words if word.isalpha())])
    prefix, suffix = f"{_PREFIX}process {os.getpid()} on ", f" ({command[:20]})"
    host = socket.gethostname()[: _NAME_BYTES - len(prefix + suffix)]
    return f"{prefix}{host}{suffix}".encode("ascii", "replace").decode()


def format_session_name(application_name: str | None, pid: int) -> str:
    """Return the application name without the ladder's prefix; if empty, the server process id."""
    name = (application_name or "").removeprefix(_PREFIX)
    return name or f"session {pid} of the server"


@dataclass(frozen=True, slots=True)
class Blocker:
    """A session that blocks writers, or may block a migration."""

    pid: int
    name: str
    writes: bool
    """True if it holds the write lock; False if its transaction is the oldest."""
    age_s: float
    """Seconds since its transaction began; 0 if the server hides it from this user."""
    silent_s: float
    """Seconds that its client has sent nothing; 0 if it is active, or hidden as above."""

    def __str__(self) -> str:
        return self.name + (f", silent for {self.silent_s:.0f} s" if self.silent_s >= 1 else "")


def find_blocker(connection: Connection) -> Blocker | None:
    """Return the session that holds the write lock, else the oldest transaction, else None."""
    row = connection.execute(_BLOCKING, {"lock": WRITER_LOCK}).first()
    if row is None:
        return None
    name = format_session_name(row.application_name, row.pid)
    if not (row.application_name or "").startswith(_PREFIX):
        name += f" of the user {row.usename}" + (f" at {row.address}" if row.address else "")
    return Blocker(row.pid, name, bool(row.writes), float(row.age_s or 0), float(row.silent_s or 0))
