"""Everything that the database can refuse or suffer.

DatabaseError     a sentence for a person that says what to do; never shown as a traceback
|-- Missing       no database there, and none is to be made
|-- NotALadderDatabase       the file or the server's database belongs to another program
|-- TooNew        a newer version of this program wrote it
|-- Outdated      an older version wrote it, and it is not migrated here
|-- Unwritable    folder missing, no permission, read-only or full disk
|-- Locked        another process kept the file busy for longer than we wait
|-- Corrupt       the file is damaged
|-- TransientError       what may be over at the next attempt
|   |-- Unreachable   the server is away, or has ended the connection
|   |-- Contended     the server had to undo a transaction for the sake of another
|   `-- Busy          another session of the server keeps others from writing
|-- Conflict      what was to be stored contradicts what others have stored or deleted meanwhile
|-- NameTaken     a bot of that name is registered already
|-- InUse         a bot or a run cannot be deleted while something stored or alive needs it
|-- Exhausted     a stream has no pair numbers left
`-- UnknownRow    there is no bot, run, division or game of that name or number
"""


class DatabaseError(Exception):
    """Base of this package's errors; the message is one sentence that says what to do."""


class Missing(DatabaseError):
    """There is no database, and none is to be created."""


class NotALadderDatabase(DatabaseError):
    """The file is no database of this program."""


class TooNew(DatabaseError):
    """A newer version of this program wrote the database."""


class Outdated(DatabaseError):
    """An older version of this program wrote the database, and it is not migrated here."""


class Unwritable(DatabaseError):
    """The database cannot be written: folder, permission, read-only medium or full disk."""


class Locked(DatabaseError):
    """Another process kept the database busy beyond the timeout."""


class Corrupt(DatabaseError):
    """The database file is damaged."""


class TransientError(DatabaseError):
    """The next attempt may succeed; nothing of this one was stored."""

    @property
    def problem(self) -> str:
        """The part of the sentence before the advice."""
        return str(self).partition(";")[0]


class Unreachable(TransientError):
    """The server does not answer, or has ended the connection."""


class Contended(TransientError):
    """The server undid a transaction: it collided with another one, or with a migration."""


class Busy(TransientError):
    """Another session of the server keeps others from writing."""


class Conflict(DatabaseError):
    """Another command has deleted what a new row refers to, or has stored one like it."""


class NameTaken(DatabaseError):
    """A bot of that name is registered already."""


class InUse(DatabaseError):
    """A bot or a run cannot be deleted: games, pairs or a living process need it."""


class Exhausted(DatabaseError):
    """A stream has no pair numbers left that can be stored and exported."""


class UnknownRow(DatabaseError):
    """There is no bot, run, division or game of that name or number."""
