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

_NO_ANSWER = "does not answer ({reason}); check that its server runs, and the URL with its sslmode"
_REFUSED = (
    "refuses this user ({reason}); check the user in the URL, and the password in PGPASSWORD or "
    "~/.pgpass"
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

_BY_STATE: dict[str, tuple[type[DatabaseError], str]] = {
    # Whole codes before their classes.
    "53100": (Unwritable, _UNWRITABLE),  # disk full
    "53300": (Unreachable, _NO_ANSWER),  # too many connections
    "40001": (Contended, "rolled a transaction back ({reason}); try again"),
    "40P01": (Contended, "rolled a transaction back ({reason}); try again"),
    "42501": (Unwritable, _FORBIDDEN),  # insufficient privilege
    "42P01": (Corrupt, _DAMAGED),  # undefined table
    "42703": (Corrupt, _DAMAGED),  # undefined column
    "25006": (Unwritable, _FORBIDDEN),  # a standby, or a user that only reads
    "55P03": (Busy, BUSY.format(who="another session")),
    "57014": (
        DatabaseError,
        "cancelled a statement ({reason}); try again, and raise statement_timeout if that is why",
    ),
    "25P03": (Unreachable, _ENDED),  # idle in a transaction
    "25P04": (Unreachable, _ENDED),  # a transaction that takes too long
    "22003": (DatabaseError, "cannot store so large a number ({reason})"),
    "23503": (Conflict, CONFLICT),  # foreign key
    "23505": (Conflict, CONFLICT),  # unique
    "3D000": (Missing, _MISSING),
    "08": (Unreachable, _NO_ANSWER),
    "57P": (Unreachable, _NO_ANSWER),  # shut down, starting, dropped
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
"""Words in the message of a refused connection.

Any other refusal is Unreachable and retried, since the server may be starting.
"""


def translate_sqlstate(
    state: str | None, message: str, error: BaseException
) -> tuple[type[DatabaseError], str] | None:
    """Return the class for an error, and its message to follow the database's name.

    Args:
        state: the SQLSTATE; None for a connection that failed.
        message: the text of the driver or server.
        error: the driver's error.

    Returns:
        None for an error that shows a bug in this program.

    """
    if state is None:
        known = _find_by_words(message, error)
    else:
        known = next((_BY_STATE[state[:n]] for n in (5, 3, 2) if state[:n] in _BY_STATE), None)
    return None if known is None else (known[0], known[1].format(reason=_reason(message)))


def _find_by_words(message: str, error: BaseException) -> tuple[type[DatabaseError], str] | None:
    """Return class and message for a connection that failed, by words in the driver's text."""
    if type(error).__name__ not in ("OperationalError", "InterfaceError"):
        return None
    reason = _reason(message)
    if ("FATAL" in message or "no password" in message) and "timeout" not in message:
        for words, known in _BY_WORDS:
            if any(word in reason for word in words):
                return known
    return Unreachable, _NO_ANSWER


def _reason(message: str) -> str:
    """Return the line of a message that gives the reason, without the address in the URL."""
    lines = [line.strip() for line in message.splitlines() if line.strip()] or ["no reason given"]
    line = next((line for line in lines if "FATAL:" in line), lines[0])
    line = line.removeprefix("connection failed: ")
    line = line.partition("fe_sendauth: ")[2] or line.partition("FATAL:")[2] or line
    return line.strip().rstrip(".")
