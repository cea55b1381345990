"""A database server as `ladder doctor` looks at it."""

from collections.abc import Mapping
from dataclasses import dataclass

SETTINGS = (
    *("fsync", "full_page_writes", "synchronous_commit", "autovacuum", "track_activities"),
    *("statement_timeout", "transaction_timeout", "idle_session_timeout"),
)
"""Settings that can hurt. Not every version of the server has all of them."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server, what its user may do there, and who else is there."""

    version: str
    """Of the server."""
    tables: str
    """The version of the tables."""
    needed: str
    """The version of the tables that this program needs."""
    user: str
    owner: str
    """The role that owns the tables."""
    may_write: bool
    may_migrate: bool
    sessions: int
    session_limit: int
    runs: Mapping[int, str]
    """The process that plays each run that is in play."""
    blocker: str | None
    """The session that holds the writers' lock, else the one of the oldest transaction."""
    blocker_s: float
    """Seconds since its transaction began."""
    round_trip_s: float
    ahead_s: float
    """By how many seconds the clock of this machine is ahead of the server's."""
    settings: Mapping[str, str]
    """By the names in `SETTINGS`."""
