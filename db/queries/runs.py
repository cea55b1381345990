"""Runs: one row for each start of the program that plays games."""

import time
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update

from db.connection.database import Database
from db.errors import UnknownRow
from db.json_column import to_json
from db.models import Run
from db.records.runs import (
    NewRun,
    RunKind,
    RunRow,
    RunStatus,
)


class Runs:
    """The runs of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, new: NewRun) -> RunRow:
        """Store a new run as running."""
        with self._database.writing() as connection:
            run_id = connection.execute(
                insert(Run)
                .values(
                    kind=new.kind.value,
                    rated=new.rated,
                    stream=new.stream,
                    identity=new.identity,
                    settings=to_json(dict(new.settings)),
                    seed=new.seed,
                    division_id=new.division_id,
                    target_games=new.target_games,
                    status=RunStatus.RUNNING.value,
                    started_at=time.time(),
                    note=new.note,
                )
                .returning(Run.id)
            ).scalar_one()
            return find_run(connection, run_id)

    def get(self, run_id: int) -> RunRow:
        """A run by id. Raises UnknownRow."""
        with self._database.reading() as connection:
            return find_run(connection, run_id)

    def find(
        self,
        *,
        stream: str | None = None,
        identity: str | None = None,
        status: RunStatus | None = None,
        kind: RunKind | None = None,
        limit: int | None = None,
    ) -> list[RunRow]:
        """The runs that fit, newest first."""
        query = select(Run.__table__).order_by(Run.id.desc()).limit(limit)
        if stream is not None:
            query = query.where(Run.stream == stream)
        if identity is not None:
            query = query.where(Run.identity == identity)
        if status is not None:
            query = query.where(Run.status == status.value)
        if kind is not None:
            query = query.where(Run.kind == kind.value)
        with self._database.reading() as connection:
            return [_run(row) for row in connection.execute(query)]

    def latest(self, kind: RunKind | None = RunKind.LADDER) -> RunRow | None:
        """The newest run of the kind (None: of any kind)."""
        newest = self.find(kind=kind, limit=1)
        return newest[0] if newest else None

    def set_status(
        self, run_id: int, status: RunStatus, *, target_games: int | None = None
    ) -> None:
        """Set a run's status; a running one has no end. Raises UnknownRow.

        Args:
            run_id: which.
            status: the new one; the time of the end follows.
            target_games: replaces the stored number of games unless None.

        """
        ended_at = None if status is RunStatus.RUNNING else time.time()
        values: dict[str, Any] = {"status": status.value, "ended_at": ended_at}
        if target_games is not None:
            values["target_games"] = target_games
        with self._database.writing() as connection:
            changed = connection.execute(update(Run).where(Run.id == run_id).values(**values))
            if changed.rowcount == 0:
                raise UnknownRow(f"there is no run {run_id}")


def find_run(connection: Connection, run_id: int) -> RunRow:
    """A run by id. Raises UnknownRow."""
    row = connection.execute(select(Run.__table__).where(Run.id == run_id)).first()
    if row is None:
        raise UnknownRow(f"there is no run {run_id}")
    return _run(row)


def _run(row: Any) -> RunRow:
    return RunRow(
        id=row.id,
        kind=RunKind(row.kind),
        rated=bool(row.rated),
        stream=row.stream,
        identity=row.identity,
        settings=msgspec.json.decode(row.settings, type=dict[str, Any]),
        seed=row.seed,
        division_id=row.division_id,
        target_games=row.target_games,
        status=RunStatus(row.status),
        started_at=row.started_at,
        ended_at=row.ended_at,
        note=row.note,
    )
