"""Database backends: everything in which SQLite and PostgreSQL differ."""

from db.backends.backend import Backend, Place
from db.backends.sqlite import SqliteBackend

__all__ = ["Backend", "SqliteBackend", "backend_of"]


def backend_of(place: Place, busy_s: float) -> Backend:
    """Return the backend of a database.

    Args:
        place: the database's file or URL.
        busy_s: seconds that a transaction waits for another one that writes.

    """
    if place.path is not None:
        return SqliteBackend(place, busy_s)
    # Imported only here, because the dialect takes 20 ms to load and SQLite does not need it.
    from db.backends.postgresql import PostgresqlBackend

    return PostgresqlBackend(place, busy_s)
