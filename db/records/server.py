"""The state of a database server, for `ladder doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass

SETTINGS = (
    *("fsync", "full_page_writes", "synchronous_commit", "autovacuum", "track_activities"),
    *("statement_timeout", "transaction_timeout", "idle_session_timeout"),
)
"""Settings that can do harm. Some versions of the server lack some of them."""


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server, the rights of its user, and its other sessions."""

    version: str
    """Version of the server."""
    tables: str
    """Schema version of the tables."""
    user: str
    owner: str
    """The role that owns the tables."""
    may_write: bool
    may_migrate: bool
    sessions: int
    session_limit: int
    runs: Mapping[int, str]
    """The process that plays a run, by the number of the run."""
    blocker: str | None
    """The session that holds the write lock, else the one with the oldest transaction."""
    blocker_s: float
    """Seconds since its transaction began."""
    round_trip_s: float
    ahead_s: float
    """Seconds that this machine's clock is ahead of the server's."""
    settings: Mapping[str, str]
    """Values by the names in `SETTINGS`."""
