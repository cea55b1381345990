"""What visitors change: the database is opened to write for each change."""

from db.store import RetryPolicy, Store

BUSY_S = 5.0
"""Time to wait for another process that writes: a visitor waits, too."""


def open_to_write(where: str) -> Store:
    """Open the database for a change of a visitor. Raises DatabaseError."""
    return Store.open(where, create=False, busy_s=BUSY_S, retry_policy=RetryPolicy(BUSY_S))
