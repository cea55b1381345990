"""Checks of a PostgreSQL server."""

from db.records.server import ServerState
from ladder.tools.doctor.machine import Diagnosis, Level

SLOW_S = 0.05
"""Round trip above which storing pairs is slow."""


def examine_server(state: ServerState) -> list[Diagnosis]:
    """Check a server: connection, rights, settings and locks."""
    text = f"PostgreSQL {state.version}, round trip {state.round_trip_s * 1000:.1f} ms"
    server = Diagnosis("server", Level.OK, text)
    if state.round_trip_s > SLOW_S:
        advice = "storing pairs waits for two round trips; run the coordinator near the server"
        server = Diagnosis("server", Level.WARNING, f"{text}: {advice}")
    rights = Diagnosis("rights", Level.OK, f"the role {state.user} can store games")
    if not state.may_write:
        rights = Diagnosis("rights", Level.WARNING, f"the role {state.user} can only read here")
    settings = Diagnosis("settings", Level.OK, "no harmful settings")
    if state.is_unsafe:
        text = "a crash of the server can lose games: set fsync, full_page_writes and "
        settings = Diagnosis("settings", Level.WARNING, f"{text}synchronous_commit to on")
    runs = ", ".join(f"run {run} by {who}" for run, who in sorted(state.runs.items()))
    locks = f"in play: {runs}" if runs else "no run is in play"
    return [server, rights, settings, Diagnosis("locks", Level.OK, locks)]
