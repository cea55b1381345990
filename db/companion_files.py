"""Suffixes of the files and folders that lie beside a database file."""

from pathlib import Path

WAL, WAL_INDEX, JOURNAL = "-wal", "-shm", "-journal"
"""SQLite's own files."""
LOCKS = ".locks"
"""Locks of runs and jobs in play; see `db.backends.locks`."""
LOGS = ".logs"
"""Logs of the bots' stderr."""
SUFFIXES = (WAL, WAL_INDEX, JOURNAL, LOCKS, LOGS)


def folder_beside(database: str | None, suffix: str) -> Path:
    """Return the absolute folder that belongs to a database.

    Args:
        database: the absolute path of its file; None for a database on a server, whose folders lie
            in the current one.
        suffix: one of this module's suffixes.

    """
    return Path.cwd() / f"ladder{suffix}" if database is None else Path(f"{database}{suffix}")
