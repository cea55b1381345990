"""Planned pairs: who takes which numbers of a stream."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import func, insert, select, update

from db.database import Database
from db.models import Pair, Run
from db.rows import PairRow, PairStatus, PlannedPair
from db.runs import find_run
from engine.position import format_moves, parse_moves


def plan(
    database: Database, run_id: int, count: int, make: Callable[[int], PlannedPair]
) -> list[PairRow]:
    """Take the next numbers of the run's stream and store what `make` gives for each.

    Numbers are taken under the write lock, so no two processes take the same. When `make` raises,
    none is taken.

    Raises:
        UnknownRow: there is no such run.
        ValueError: a rated run would pair a bot with itself.

    """
    if count < 1:
        return []
    with database.writing() as connection:
        run = find_run(connection, run_id)
        last = connection.execute(
            select(func.max(Pair.number)).where(Pair.stream == run.stream)
        ).scalar()
        start = 0 if last is None else last + 1
        values = []
        for number in range(start, start + count):
            pair = make(number)
            if run.rated and pair.a_revision == pair.b_revision:
                raise ValueError(f"pair {number}: a pair of a bot with itself cannot be rated")
            values.append(
                {
                    "run_id": run_id,
                    "stream": run.stream,
                    "number": number,
                    "a_revision_id": pair.a_revision,
                    "b_revision_id": pair.b_revision,
                    "board": pair.board,
                    "board_class": pair.board_class,
                    "opening": format_moves(pair.opening),
                    "seed": pair.seed,
                    "status": PairStatus.PLANNED.value,
                    "aborts": 0,
                }
            )
        connection.execute(insert(Pair), values)
        rows = connection.execute(
            select(Pair.__table__)
            .where(Pair.stream == run.stream, Pair.number >= start)
            .order_by(Pair.number)
        )
        return [_pair(row) for row in rows]


def planned(database: Database, run_id: int) -> list[PairRow]:
    """The run's planned pairs in the order of their numbers."""
    query = (
        select(Pair.__table__)
        .where(Pair.run_id == run_id, Pair.status == PairStatus.PLANNED.value)
        .order_by(Pair.number)
    )
    with database.reading() as connection:
        return [_pair(row) for row in connection.execute(query)]


def adopt(database: Database, run_id: int, from_runs: Sequence[int]) -> int:
    """Move the planned pairs of other runs of the same stream to this run; how many."""
    others = [other for other in from_runs if other != run_id]
    if not others:
        return 0
    with database.writing() as connection:
        stream = find_run(connection, run_id).stream
        same = select(Run.id).where(Run.id.in_(others), Run.stream == stream)
        moved = connection.execute(
            update(Pair)
            .where(Pair.run_id.in_(same), Pair.status == PairStatus.PLANNED.value)
            .values(run_id=run_id)
        )
        return moved.rowcount


def drop(database: Database, pair_ids: Sequence[int]) -> int:
    """Give up planned pairs; how many were still planned."""
    if not pair_ids:
        return 0
    with database.writing() as connection:
        dropped = connection.execute(
            update(Pair)
            .where(Pair.id.in_(pair_ids), Pair.status == PairStatus.PLANNED.value)
            .values(status=PairStatus.DROPPED.value)
        )
        return dropped.rowcount


def note_aborts(database: Database, pair_id: int, aborts: int) -> None:
    """Add to how often a planned pair was abandoned."""
    with database.writing() as connection:
        connection.execute(
            update(Pair).where(Pair.id == pair_id).values(aborts=Pair.aborts + aborts)
        )


def _pair(row: Any) -> PairRow:
    return PairRow(
        id=row.id,
        run_id=row.run_id,
        stream=row.stream,
        number=row.number,
        a_revision=row.a_revision_id,
        b_revision=row.b_revision_id,
        board=row.board,
        board_class=row.board_class,
        opening=parse_moves(row.opening),
        seed=row.seed,
        status=PairStatus(row.status),
        aborts=row.aborts,
        finished_at=row.finished_at,
    )
