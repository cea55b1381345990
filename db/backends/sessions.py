"""Sessions of a PostgreSQL server: their names, and which of them keeps others waiting."""

import os
import socket
import sys
from pathlib import Path

from sqlalchemy import Connection, text

WRITER_LOCK = 0x43346C64
"""The advisory lock of a transaction that writes."""
_PREFIX = "ladder: "
_NAME_BYTES = 63

_BLOCKING = text(
    "SELECT pid, application_name, usename, writes, client_addr::text AS address, "
    "CASE WHEN wait_event = 'ClientRead' "
    "THEN extract(epoch FROM clock_timestamp() - state_change) END AS silent_s "
    "FROM pg_stat_activity LEFT JOIN ("
    "SELECT pid, true AS writes FROM pg_locks WHERE locktype = 'advisory' AND granted "
    "AND objsubid = 1 AND classid = 0 AND objid = :lock) AS writer USING (pid) "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND (writes OR xact_start IS NOT NULL) ORDER BY writes, xact_start LIMIT 1"
)
_END = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE pid = :pid AND pg_has_role(usesysid, 'MEMBER')"
)


def own_name() -> str:
    """Return the name of this process for the server: process, host and command."""
    program, *words = [Path(word).name for word in sys.argv[:2]] or ["python"]
    command = " ".join([program, *(word for word in words if word.isalpha())])
    before, behind = f"{_PREFIX}process {os.getpid()} on ", f" ({command[:20]})"
    host = socket.gethostname()[: _NAME_BYTES - len(before + behind)]
    return f"{before}{host}{behind}".encode("ascii", "replace").decode()


def name_of_session(application_name: str | None, pid: int) -> str:
    """Return how messages name a session: its process and host where it is one of ours."""
    name = (application_name or "").removeprefix(_PREFIX)
    return name or f"session {pid} of the server"


def describe_blocking_session(connection: Connection, silence_s: float) -> str | None:
    """Describe the session that others wait for, and end it if it is silent in a transaction.

    The server itself cannot end a session that is silent between the statements of a pipeline:
    it counts as active. Ending it takes the same role, or the right to.

    Args:
        connection: in a transaction that reads.
        silence_s: how long the client of a transaction that writes may send nothing.

    Returns:
        None if there is no such session any more.

    """
    row = connection.execute(_BLOCKING, {"lock": WRITER_LOCK}).first()
    if row is None:
        return None
    who = name_of_session(row.application_name, row.pid)
    if not (row.application_name or "").startswith(_PREFIX):
        who += f" of the user {row.usename}" + (f" at {row.address}" if row.address else "")
    if row.silent_s is None or row.silent_s < 1:
        return who
    who += f", silent for {row.silent_s:.0f} s"
    if row.writes and row.silent_s >= silence_s:
        is_ended = connection.execute(_END, {"pid": row.pid}).scalar()
        return f"{who}{' and now ended' if is_ended else ''}"
    return who
