"""The name of the socket on which a database's games in play are broadcast."""

import hashlib
import os

from db.store import locate
from ladder.match.process.cpus import PREFIX


def channel_name(database: str | None) -> str | None:
    """Return the name of the socket for the games of a database, or None if there is no such file.

    Args:
        database: a file path or a URL. Different names of one server give different sockets,
            except for its user and for localhost.

    """
    if database is not None and "://" in database:
        place = locate(database)
        if place.path is None:
            server = hashlib.sha256(place.server_key.encode()).hexdigest()[:32]
            return f"{PREFIX}.boards.{server}"
        database = place.path
    try:
        found = os.stat(database or "")
    except (OSError, ValueError):
        return None
    return f"{PREFIX}.boards.{found.st_dev:x}.{found.st_ino:x}"
