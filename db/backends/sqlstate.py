"""Messages for the errors of a PostgreSQL server, by SQLSTATE (appendix A of its manual).

A connection that cannot be opened gives no code, only a text in the server's language: the
important English ones are recognized here, all others are repeated as they are.
"""

from db.backends.backend import CONFLICT
from db.errors import (
    Busy,
    Conflict,
    Contended,
    Corrupt,
    DatabaseError,
    Missing,
    Unreachable,
    Unwritable,
)

_AWAY = "does not answer ({reason}); check that its server runs, and the URL"
_REFUSED = (
    "refuses this user ({reason}); check the user in the URL, and the password in PGPASSWORD or "
    "~/.pgpass"
)
_UNTRUSTED = (
    "could not agree on TLS with this program ({reason}); check the host, sslmode, sslrootcert, "
    "sslcert and sslkey in the URL"
)
_UNWRITABLE = "cannot be written ({reason}); check the server's free disk space"
_FORBIDDEN = (
    "does not allow this user to do that ({reason}); use another role, or have the owner of the "
    "database grant the right"
)
_DAMAGED = "is damaged ({reason}); restore a copy"
_MISSING = "does not exist ({reason}); create it with `createdb`, or correct the URL"

_ENDED = "has ended this session ({reason}); check what delayed this process"
BUSY = "is kept busy by {who}; wait for it or stop it, then try again"
CHANGED_PLAN = "plan"
"""Used as SQLSTATE when a migration has changed the columns of a prepared statement."""

_BY_STATE: dict[str, tuple[type[DatabaseError], str]] = {
    # Whole codes before their classes.
    "53100": (Unwritable, _UNWRITABLE),  # disk full
    "53300": (Unreachable, _AWAY),  # too many connections
    "40001": (Contended, "rolled a transaction back ({reason}); try again"),
    CHANGED_PLAN: (Contended, "was migrated meanwhile ({reason}); try again"),
    "40P01": (Contended, "rolled a transaction back ({reason}); try again"),
    "42501": (Unwritable, _FORBIDDEN),  # insufficient privilege
    "42P01": (Corrupt, _DAMAGED),  # undefined table
    "42703": (Corrupt, _DAMAGED),  # undefined column
    "25006": (Unwritable, _FORBIDDEN),  # a standby, or a user that only reads
    "55P03": (Busy, BUSY.format(who="another session")),
    "57014": (DatabaseError, "cancelled a statement ({reason}); raise its statement_timeout"),
    "25P03": (Unreachable, _ENDED),  # idle in a transaction
    "25P04": (Unreachable, _ENDED),  # a transaction that takes too long
    "22003": (DatabaseError, "cannot store so large a number ({reason})"),
    "23503": (Conflict, CONFLICT),  # foreign key
    "23505": (Conflict, CONFLICT),  # unique
    "3D000": (Missing, _MISSING),
    "08": (Unreachable, _AWAY),
    "57P": (Unreachable, _AWAY),  # shut down, starting, dropped
    "53": (Unwritable, _UNWRITABLE),
    "58": (Unwritable, _UNWRITABLE),  # errors of the server's system
    "28": (DatabaseError, _REFUSED),
    "XX": (Corrupt, _DAMAGED),
}
_BY_WORDS: tuple[tuple[tuple[str, ...], tuple[type[DatabaseError], str]], ...] = (
    (
        ("password", "authentication", "pg_hba.conf", "role ", "permission denied"),
        (DatabaseError, _REFUSED),
    ),
    (("does not exist",), (Missing, _MISSING)),
)
"""Words of a refused connection. All others may be over when the server has started."""
_UNTRUSTED_WORDS = ("certificate", "does not support SSL", "alert", "private key")
"""Words of libpq when it gives up a connection that the server accepted."""


def translate_sqlstate(
    state: str | None, words: str, error: BaseException
) -> tuple[type[DatabaseError] | None, str]:
    """Return the kind of an error and its message after the database's name.

    Args:
        state: the SQLSTATE; None for a connection that failed.
        words: the text of the driver or server.
        error: the driver's error.

    Returns:
        (None, "") for an error that shows a bug in this program.

    """
    reason = _reason(words)
    if state is not None:
        for length in (5, 3, 2):
            known = _BY_STATE.get(state[:length])
            if known is not None:
                return known[0], known[1].format(reason=reason)
        return None, ""
    if type(error).__name__ not in ("OperationalError", "InterfaceError"):
        return None, ""
    if any(mark in reason for mark in _UNTRUSTED_WORDS):
        return DatabaseError, _UNTRUSTED.format(reason=reason)
    kind, sentence = Unreachable, _AWAY
    if ("FATAL" in words or "no password" in words) and "timeout" not in words:
        for marks, (its_kind, its_sentence) in _BY_WORDS:
            if any(mark in reason for mark in marks):
                return its_kind, its_sentence.format(reason=reason)
    return kind, sentence.format(reason=reason)


def _reason(words: str) -> str:
    """Return the line of a message that gives the reason, without the address in the URL."""
    lines = [line.strip() for line in words.splitlines() if line.strip()] or ["no reason given"]
    line = next((line for line in lines if "FATAL:" in line), lines[0])
    line = line.removeprefix("connection failed: ")
    line = line.partition("fe_sendauth: ")[2] or line.partition("FATAL:")[2] or line
    return line.strip().rstrip(".")
