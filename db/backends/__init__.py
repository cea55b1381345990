"""Database backends: everything in which SQLite and PostgreSQL differ."""

from db.backends.backend import Backend
from db.backends.place import Place
from db.backends.sqlite import SqliteBackend

__all__ = ["Backend", "SqliteBackend", "backend_of"]


def backend_of(place: Place, busy_s: float) -> Backend:
    """Return the backend of a database.

    Args:
        place: of the database.
        busy_s: seconds for which a write waits for another one.

    """
    if place.path is not None:
        return SqliteBackend(place, busy_s)
    # Imported only here: the dialect takes 20 ms that SQLite need not pay.
    from db.backends.postgresql import PostgresqlBackend

    return PostgresqlBackend(place, busy_s)
