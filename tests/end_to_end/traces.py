"""What a command left behind: games in its database, processes, files."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

QUICK = ("--bots", "steady,random,stupid", "--simulations", "1", "--concurrency", "2")
"""A run in a stocked folder whose games take milliseconds and depend on nothing but its seed."""


def query(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "ladder.db", timeout=30)) as connection:
        return connection.execute(sql).fetchall()


def lines_of(folder: Path) -> list[tuple[Any, ...]]:
    """Every game by its run's seed and its pair's number: what must not depend on how a run went.

    A row is (seed of the run, number, game, board, moves, result, termination, seed, detail).
    """
    return query(
        folder,
        "select r.seed, p.number, g.game, g.board, g.moves, g.result, g.termination, g.seed, "
        "g.detail from games g join pairs p on p.id = g.pair_id join runs r on r.id = g.run_id "
        "order by 1, 2, 3",
    )


def lines_of_safely(folder: Path) -> list[tuple[Any, ...]]:
    """Like `lines_of`, while the database may not have its tables yet."""
    try:
        return lines_of(folder)
    except sqlite3.OperationalError:
        return []


def faults_of(folder: Path) -> list[str]:
    """What is wrong with the stored pairs, in words; empty when nothing is."""
    found = [f"integrity: {line}" for (line,) in query(folder, "pragma integrity_check")]
    found = [line for line in found if line != "integrity: ok"]
    for stream, number in query(
        folder, "select stream, number from pairs group by 1, 2 having count(*) > 1"
    ):
        found.append(f"pair {number} of {stream} is there twice")
    for number, status, games in query(
        folder,
        "select p.number, p.status, count(g.id) from pairs p left join games g on g.pair_id = p.id "
        "group by p.id having count(g.id) != 2 * (p.status = 'finished')",
    ):
        found.append(f"pair {number} is {status} with {games} games")
    return found


def descendants_of_session(session: int) -> list[int]:
    """What still runs in the session that a command was started in (workers stay in it)."""
    return [pid for pid, fields in _stats() if int(fields[3]) == session and fields[0] != "Z"]


def marked(mark: str) -> list[int]:
    """What lives with `mark` in its environment: bots and supervisors keep only their folders."""
    found = []
    for pid, _ in _stats():
        try:
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def _stats() -> list[tuple[int, list[str]]]:
    """Every process with the fields of its stat file after the name: state, parent, group..."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            found.append((int(entry), text.rpartition(")")[2].split()))
    return found
