"""The files and folders that lie beside a database: one suffix of its file's name for each."""

from pathlib import Path

WAL, INDEX, JOURNAL = "-wal", "-shm", "-journal"
"""SQLite's own files."""
LOCKS = ".locks"
"""A byte for each run that lives; see `db.connection.run_lock`."""
LOGS = ".logs"
"""The folder of the logs of bots' stderr."""
COPIES = ".bots"
"""The folder of the copies of bots taken from git."""
UNSAVED = ".unsaved"
"""The folder of games of people that could not be stored."""
ALL = (WAL, INDEX, JOURNAL, LOCKS, LOGS, COPIES, UNSAVED)


def folder_beside(database: str | None, suffix: str) -> Path:
    """The absolute folder of a suffix.

    Args:
        database: the absolute path of the file; None: a database on a server, whose folders lie in
            the current one.
        suffix: one of those of this module.

    """
    return Path.cwd() / f"ladder{suffix}" if database is None else Path(f"{database}{suffix}")
