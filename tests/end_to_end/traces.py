"""Traces of a command: games in its database, processes, files."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from db.backends.backend import locate
from db.store import Store
from ladder.tools.doctor.database import examine_database
from ladder.tools.doctor.machine import Level

QUICK = ("--bots", "steady,random,stupid", "--simulations", "1", "--concurrency", "2")
"""A run in a stocked folder whose games take milliseconds and depend on nothing but its seed."""
QUICK_ALONE = (*QUICK[:-1], "1")
"""The same with one worker and its bots: for tests in which their number means nothing."""


def query(where: Path | str, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a statement on either kind of database; a folder means its `ladder.db`.

    From a file directly: tests that wait call this fifty times a second.
    """
    if "://" not in (place := _place(where)):
        uri = f"file:{quote(os.path.abspath(place))}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=30)) as file:
            return file.execute(sql).fetchall()
    engine = create_engine(locate(place).url, poolclass=NullPool)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def change(where: Path | str, *statements: str) -> None:
    """Change a database as another program would."""
    engine = create_engine(locate(_place(where)).url, poolclass=NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def lines_of(where: Path | str) -> list[tuple[Any, ...]]:
    """Return every game by seed and pair number, without what disturbances may change.

    A row is (seed of the run, number, game, board, moves, result, termination, seed, detail).
    """
    return query(
        where,
        "select r.seed, p.number, g.game, g.board, g.moves, g.result, g.termination, g.seed, "
        "g.detail from games g join pairs p on p.id = g.pair_id join runs r on r.id = g.run_id "
        "order by 1, 2, 3",
    )


def lines_of_safely(where: Path | str) -> list[tuple[Any, ...]]:
    """Return `lines_of`, or nothing while the database has no tables yet."""
    try:
        return lines_of(where)
    except (DBAPIError, sqlite3.Error):
        return []


def faults_of(where: Path | str) -> list[str]:
    """Return the faults of the stored pairs as sentences."""
    with Store.open_to_read(_place(where)) as store:
        found = [f"integrity: {line}" for line in store.audit.integrity()]
        found += store.audit.pairs()
    for stream, number in query(
        where, "select stream, number from pairs group by 1, 2 having count(*) > 1"
    ):
        found.append(f"pair {number} of {stream} is there twice")
    return found


def examined(where: Path | str) -> list[str]:
    """Return what `ladder doctor` finds wrong in a database, without its look at the machine."""
    with Store.open(_place(where)) as store:
        return [each.text for each in examine_database(store) if each.level is not Level.OK]


def _place(where: Path | str) -> str:
    return str(where / "ladder.db") if isinstance(where, Path) else where


def descendants_of_session(session: int) -> list[int]:
    """Return the processes in the session of a command; workers stay in it."""
    return [pid for pid, fields in _stats() if int(fields[3]) == session and fields[0] != "Z"]


def marked(mark: str) -> list[int]:
    """Return the processes with `mark` in their environment, bots and supervisors included."""
    found = []
    for pid, _ in _stats():
        try:
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def _stats() -> list[tuple[int, list[str]]]:
    """Return every process with the fields of its stat file after the name (state, parent, ...)."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            found.append((int(entry), text.rpartition(")")[2].split()))
    return found
