"""Driver errors become this package's errors at the store's border."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import IntegrityError as ConstraintBroken

from db.errors import Corrupt, DatabaseError, Locked, NotOurs, Unwritable

_BY_CODE = {
    # Primary result codes of SQLite; extended ones have more letters behind these.
    "SQLITE_BUSY": Locked,
    "SQLITE_LOCKED": Locked,
    "SQLITE_READONLY": Unwritable,
    "SQLITE_CANTOPEN": Unwritable,
    "SQLITE_PERM": Unwritable,
    "SQLITE_FULL": Unwritable,
    "SQLITE_IOERR": Unwritable,
    "SQLITE_CORRUPT": Corrupt,
    "SQLITE_NOTADB": NotOurs,
}

_SENTENCES: dict[type[DatabaseError], str] = {
    Locked: (
        "{where} is kept busy by another process ({reason}); "
        "wait for it to finish or end it, then try again"
    ),
    Unwritable: (
        "{where} cannot be written ({reason}); "
        "check the folder, its permissions and the free disk space, or choose another --db"
    ),
    Corrupt: (
        "{where} is damaged ({reason}); restore a copy, or choose another --db and leave the file"
    ),
    NotOurs: "{where} is no database of this program; choose another --db",
}


def translate(error: Exception, where: str) -> DatabaseError | None:
    """This package's error for a driver's, None for one that tells of a bug in our code."""
    reason = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(error, ConstraintBroken) or reason is None:
        return None
    code = getattr(reason, "sqlite_errorname", "")
    for prefix, kind in _BY_CODE.items():
        if code.startswith(prefix):
            return kind(_SENTENCES[kind].format(where=where, reason=reason))
    if code == "SQLITE_ERROR" and "no such" in str(reason):
        return Corrupt(_SENTENCES[Corrupt].format(where=where, reason=reason))
    if isinstance(error, DBAPIError) and not code:
        first_line = str(reason).strip().partition("\n")[0]
        return DatabaseError(
            f"{where} does not answer ({first_line}); check that its server runs and the URL"
        )
    return None


@contextmanager
def border(where: str) -> Iterator[None]:
    """Let only errors of `db.errors` (or bugs) out of the block.

    Raises:
        DatabaseError: the subclass that fits what the driver said.

    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        ours = translate(error, where)
        if ours is None:
            raise
        raise ours from error
