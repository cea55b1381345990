"""The state of a database server, for `ladder doctor`."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerState:
    """A server, the rights of its user, and the runs in play."""

    version: str
    """Version of the server."""
    user: str
    is_unsafe: bool
    """Whether a crash of the server can lose games, because of its settings."""
    may_write: bool
    runs: Mapping[int, str]
    """The process that plays a run, by the number of the run."""
    round_trip_s: float
