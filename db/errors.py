"""Errors of the database."""


class DatabaseError(Exception):
    """Base of this package's errors; the message names the problem and the remedy."""


class Missing(DatabaseError):
    """The database does not exist and must not be created."""


class NotALadderDatabase(DatabaseError):
    """The file or the server's database belongs to another program."""


class TooNew(DatabaseError):
    """A newer version of this program wrote the database."""


class Outdated(DatabaseError):
    """An older version of this program wrote the database."""


class Unwritable(DatabaseError):
    """The database cannot be written: folder, permission, read-only medium or full disk."""


class Replaced(DatabaseError):
    """The database file was deleted, or another one lies in its place."""


class Locked(DatabaseError):
    """Another process writes a database that this user can only read, and cannot lock."""


class Corrupt(DatabaseError):
    """The database file is damaged."""


class TransientError(DatabaseError):
    """A failure that the next attempt may not have; this attempt stored nothing."""

    @property
    def problem(self) -> str:
        """The part of the message before the advice."""
        return str(self).partition(";")[0]


class Unreachable(TransientError):
    """The server does not answer, or has ended the connection."""


class CommitLost(DatabaseError):
    """The connection was lost in the commit of a change that must not be made twice."""


class Contended(TransientError):
    """The server rolled a transaction back that collided with another one or a migration."""


class Busy(TransientError):
    """Another process or session holds the write lock."""


class Conflict(DatabaseError):
    """Another process has deleted what a new row refers to, or stored one like it."""


class NameTaken(DatabaseError):
    """A bot with that name is already registered."""


class InUse(DatabaseError):
    """A bot, run or database that games, pairs or a running process need unchanged."""


class Exhausted(DatabaseError):
    """A stream has no pair numbers left that can be stored and exported."""


class UnknownRow(DatabaseError):
    """No bot, run, division or game has that name or number."""
