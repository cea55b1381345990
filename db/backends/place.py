"""Where a database is: a SQLite file or a PostgreSQL URL."""

import os
import re
from dataclasses import dataclass

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from db.errors import DatabaseError

_PASSWORD = re.compile(r"(://[^:/@]*):.*@")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database is; `str` of it hides a password."""

    url: URL
    path: str | None
    """The absolute path of a SQLite file; None for a server."""

    @property
    def server_key(self) -> str:
        """The server's host and port and the database's name, such as ``localhost:5432/games``.

        ``127.0.0.1``, a socket's folder and other ways to this machine all give ``localhost``.
        """
        query = self.url.query
        host = str(self.url.host or query.get("host", ""))
        is_local = host in ("", "localhost", "127.0.0.1", "::1") or host.startswith("/")
        port = self.url.port or query.get("port", 5432)
        return f"{'localhost' if is_local else host.lower()}:{port}/{self.url.database or ''}"

    def __str__(self) -> str:
        if self.path is not None:
            return self.path
        query = {key: value for key, value in self.url.query.items() if key != "password"}
        return self.url.set(query=query).render_as_string(hide_password=True)


def locate(where: str) -> Place:
    """Parse a file path or, if it contains ``://``, a URL.

    Raises:
        DatabaseError: the URL is invalid, or names neither SQLite nor PostgreSQL.

    """
    if "://" not in where:
        path = os.path.abspath(os.path.expanduser(where))
        return Place(URL.create("sqlite", database=path), path)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        # Without its cause, which repeats the URL and its password.
        shown = _PASSWORD.sub(r"\1:***@", where)
        raise DatabaseError(
            f"{shown!r} is not a database URL: use a file path or postgresql+psycopg://USER@HOST/NAME"
        ) from None
    kind = url.get_backend_name()
    if kind == "sqlite":
        if url.database in (None, "", ":memory:"):
            raise DatabaseError(
                "a database in memory cannot be shared between processes: name a file"
            )
        return locate(str(url.database))
    if kind != "postgresql":
        raise DatabaseError(
            f"{kind!r} databases are not supported: use a file path or postgresql+psycopg://..."
        )
    if url.drivername == "postgresql":  # SQLAlchemy's default driver is another one
        url = url.set(drivername="postgresql+psycopg")
    return Place(url, None)
