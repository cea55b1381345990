"""Checks of a PostgreSQL server."""

from db.records.server import ServerState
from db.store import SCHEMA_VERSION
from ladder.tools.doctor.machine import Diagnosis, Level

SLOW_S = 0.05
"""Round trip above which storing pairs is slow."""
CLOCK_S = 1.0
"""Difference of the clocks above which times of games are misleading."""
LONG_S = 10.0
"""Transactions that take longer are reported; storing a pair takes milliseconds."""
CROWDED = 0.8
"""Share of used sessions above which new ones may be refused."""
SHORT_MS = 60_000
"""Timeouts below this cut off normal work."""

LOSSES = {
    "fsync": "a crash of the server can destroy the database",
    "full_page_writes": "a crash of the server can destroy the database",
    "synchronous_commit": "a crash of the server can lose the latest games",
    "autovacuum": "tables grow forever",
    "track_activities": "a process cannot name the process it waits for",
}
"""The consequence of each setting that is off."""
LIMITS = {
    "statement_timeout": "long reports and waits for a lock are cut short",
    "transaction_timeout": "long imports and migrations are undone",
    "idle_session_timeout": "runs of slow games lose their sessions, and with them their locks",
}
"""The consequence of each timeout that is shorter than SHORT_MS."""


def examine_server(state: ServerState) -> list[Diagnosis]:
    """Check a server: connection, rights, tables, locks, clock and settings."""
    return [
        _check_connection(state),
        _check_rights(state),
        _check_tables(state),
        _check_locks(state),
        _check_clock(state),
        _check_settings(state),
    ]


def _finding(topic: str, text: str, warning: str | None) -> Diagnosis:
    if warning is None:
        return Diagnosis(topic, Level.OK, text)
    return Diagnosis(topic, Level.WARNING, f"{text}: {warning}")


def _check_connection(state: ServerState) -> Diagnosis:
    text = (
        f"PostgreSQL {state.version}, {state.sessions} of {state.session_limit} sessions, "
        f"round trip {state.round_trip_s * 1000:.1f} ms"
    )
    warning = None
    if state.sessions > CROWDED * state.session_limit:
        warning = "sessions are running out; raise max_connections, as a run needs two sessions"
    elif state.round_trip_s > SLOW_S:
        warning = "storing pairs waits for two round trips; run the coordinator near the server"
    return _finding("server", text, warning)


def _check_rights(state: ServerState) -> Diagnosis:
    if not state.may_write:
        return Diagnosis("rights", Level.WARNING, f"the role {state.user} can only read here")
    if not state.may_migrate:
        text = f"the role {state.user} can store games; only {state.owner} can migrate the tables"
        return Diagnosis("rights", Level.OK, text)
    text = f"the role {state.user} can store games and migrate the tables"
    return Diagnosis("rights", Level.OK, text)


def _check_tables(state: ServerState) -> Diagnosis:
    warning = None
    if state.tables != SCHEMA_VERSION:
        warning = f"this program needs version {SCHEMA_VERSION}; run `ladder doctor --migrate`"
    return _finding("tables", f"version {state.tables}", warning)


def _check_locks(state: ServerState) -> Diagnosis:
    runs = ", ".join(f"run {run} by {who}" for run, who in sorted(state.runs.items()))
    warning = None
    if state.blocker is not None and state.blocker_s > LONG_S:
        warning = (
            f"{state.blocker} has been in a transaction for {state.blocker_s:.0f} s and may block "
            "others"
        )
    return _finding("locks", f"in play: {runs}" if runs else "no run is in play", warning)


def _check_clock(state: ServerState) -> Diagnosis:
    side = "ahead of" if state.ahead_s > 0 else "behind"
    text = f"this machine's clock is {abs(state.ahead_s):.2f} s {side} the server's"
    is_off = abs(state.ahead_s) > CLOCK_S
    advice = "set this machine's clock, as times of games on different machines do not agree"
    return _finding("time", text, advice if is_off else None)


def _check_settings(state: ServerState) -> Diagnosis:
    bad = [
        f"{name} is off ({what})"
        for name, what in LOSSES.items()
        if state.settings.get(name) == "off"
    ]
    bad += [
        f"{name} is {limit} ms ({what})"
        for name, what in LIMITS.items()
        if 0 < (limit := int(state.settings.get(name, 0))) < SHORT_MS
    ]
    if not bad:
        return Diagnosis("settings", Level.OK, "no harmful settings")
    return Diagnosis("settings", Level.WARNING, "; ".join(bad))
