"""Checks of the server that keeps a database."""

from db.records.server import ServerState
from db.store import SCHEMA_VERSION
from ladder.tools.doctor.machine import Finding, Level

SLOW_S = 0.05
CLOCK_S = 1.0
LONG_S = 10.0
"""A transaction that takes longer is worth a warning: storing a pair takes milliseconds."""
CROWDED = 0.8
SHORT_MS = 60_000

LOSSES = {
    "fsync": "a crash of the server can destroy the database",
    "full_page_writes": "a crash of the server can destroy the database",
    "synchronous_commit": "a crash of the server can lose the latest games",
    "autovacuum": "tables grow for ever",
    "track_activities": "no process can name the one that it waits for",
}
"""What follows from settings that are off."""
LIMITS = {
    "statement_timeout": "long reports and waits for a lock are cut short",
    "transaction_timeout": "long imports and migrations are undone",
    "idle_session_timeout": "runs of slow games lose their sessions, and with them their locks",
}
"""What follows from limits in milliseconds that are shorter than SHORT_MS."""


def examine_server(state: ServerState) -> list[Finding]:
    """Judge a server: its version, rights, tables, locks, clock, distance and settings."""
    return [
        _check_distance(state),
        _check_rights(state),
        _check_tables(state),
        _check_locks(state),
        _check_clock(state),
        _check_settings(state),
    ]


def _finding(topic: str, text: str, warning: str | None) -> Finding:
    if warning is None:
        return Finding(topic, Level.OK, text)
    return Finding(topic, Level.WARNING, f"{text}: {warning}")


def _check_distance(state: ServerState) -> Finding:
    text = (
        f"PostgreSQL {state.version}, {state.sessions} of {state.session_limit} sessions, "
        f"round trip {state.round_trip_s * 1000:.1f} ms"
    )
    warning = None
    if state.sessions > CROWDED * state.session_limit:
        warning = "raise max_connections; a run takes two sessions"
    elif state.round_trip_s > SLOW_S:
        warning = "storing pairs waits for two, so a coordinator close to the server stores more"
    return _finding("server", text, warning)


def _check_rights(state: ServerState) -> Finding:
    if not state.may_write:
        return Finding("rights", Level.WARNING, f"the role {state.user} can only read here")
    if not state.may_migrate:
        text = f"the role {state.user} can store games; only {state.owner} can migrate the tables"
        return Finding("rights", Level.OK, text)
    text = f"the role {state.user} can store games and migrate the tables"
    return Finding("rights", Level.OK, text)


def _check_tables(state: ServerState) -> Finding:
    warning = None
    if state.tables != SCHEMA_VERSION:
        warning = f"this program writes {SCHEMA_VERSION} only; run `ladder doctor --migrate`"
    return _finding("tables", f"version {state.tables}", warning)


def _check_locks(state: ServerState) -> Finding:
    runs = ", ".join(f"run {run} by {who}" for run, who in sorted(state.runs.items()))
    warning = None
    if state.blocker is not None and state.blocker_s > LONG_S:
        warning = (
            f"{state.blocker} has been in a transaction for {state.blocker_s:.0f} s and may keep "
            "others waiting"
        )
    return _finding("locks", f"in play: {runs}" if runs else "no run is in play", warning)


def _check_clock(state: ServerState) -> Finding:
    side = "ahead of" if state.ahead_s > 0 else "behind"
    text = f"this machine's clock is {abs(state.ahead_s):.2f} s {side} the server's"
    is_off = abs(state.ahead_s) > CLOCK_S
    advice = "set it, or times of games of different machines do not agree"
    return _finding("time", text, advice if is_off else None)


def _check_settings(state: ServerState) -> Finding:
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
        return Finding("settings", Level.OK, "none of the server's settings does harm")
    return Finding("settings", Level.WARNING, "; ".join(bad))
