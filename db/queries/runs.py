"""Divisions and runs."""

import time
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update

from db.connection.database import Database
from db.errors import UnknownRow
from db.models import Division, Run
from db.records.runs import (
    DivisionRow,
    NewRun,
    RunKind,
    RunRow,
    RunStatus,
)

_UNITS = {
    "time_ms": "{}ms",
    "simulations": "{}sims",
    "nodes": "{}nodes",
    "depth": "depth{}",
}


def division_label(boards: str, opening_plies: int | None, budget: Mapping[str, int]) -> str:
    """Conditions in short, such as ``6x7+4/100ms``: boards, opening plies, budget."""
    opening = "" if opening_plies == 0 else f"+{'auto' if opening_plies is None else opening_plies}"
    parts = [_UNITS[kind].format(budget[kind]) for kind in sorted(budget)]
    return f"{boards}{opening}/{','.join(parts)}"


def division(
    database: Database, boards: str, opening_plies: int | None, budget: Mapping[str, int]
) -> DivisionRow:
    """The division of these conditions, made when it is new.

    Raises:
        ValueError: a kind of budget is unknown.

    """
    for known in divisions(database):
        if (known.boards, known.opening_plies, known.budget) == (boards, opening_plies, budget):
            return known  # the common case needs no write lock
    with database.writing() as connection:
        return division_in(connection, boards, opening_plies, budget)


def division_in(
    connection: Connection, boards: str, opening_plies: int | None, budget: Mapping[str, int]
) -> DivisionRow:
    """The same in a transaction that holds the write lock."""
    if not budget or not set(budget) <= set(_UNITS):
        raise ValueError(f"budgets are of {', '.join(_UNITS)}, got {dict(budget)}")
    label = division_label(boards, opening_plies, budget)
    key = _json({"boards": boards, "opening_plies": opening_plies, "budget": dict(budget)})
    query = select(Division.__table__).where(Division.key == key)
    row = connection.execute(query).first()
    if row is None:
        connection.execute(
            insert(Division).values(
                key=key,
                label=label,
                boards=boards,
                opening_plies=opening_plies,
                budget=_json(dict(budget)),
            )
        )
        row = connection.execute(query).one()
    return _division(row)


def divisions(database: Database) -> list[DivisionRow]:
    """All divisions by id."""
    with database.reading() as connection:
        rows = connection.execute(select(Division.__table__).order_by(Division.id))
        return [_division(row) for row in rows]


def find_division(database: Database, text: str) -> DivisionRow:
    """A division by id, label, or a beginning of a label that only one has. Raises UnknownRow."""
    known = divisions(database)
    word = text.strip()
    exact = [entry for entry in known if word in (entry.label, str(entry.id))]
    near = exact or [entry for entry in known if word and entry.label.startswith(word)]
    if len(near) == 1:
        return near[0]
    if near:
        labels = ", ".join(entry.label for entry in near)
        raise UnknownRow(f"division {text!r} can be any of {labels}: write more of it")
    if not known:
        raise UnknownRow(f"there is no division {text!r}: no games were played here yet")
    labels = ", ".join(f"{entry.id} ({entry.label})" for entry in known)
    raise UnknownRow(f"there is no division {text!r}; there are {labels}")


def create_run(database: Database, new: NewRun) -> RunRow:
    """Store a new run as running."""
    with database.writing() as connection:
        run_id = connection.execute(
            insert(Run)
            .values(
                kind=new.kind.value,
                rated=new.rated,
                stream=new.stream,
                identity=new.identity,
                settings=_json(dict(new.settings)),
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


def find_run(connection: Connection, run_id: int) -> RunRow:
    """A run by id. Raises UnknownRow."""
    row = connection.execute(select(Run.__table__).where(Run.id == run_id)).first()
    if row is None:
        raise UnknownRow(f"there is no run {run_id}")
    return _run(row)


def runs(
    database: Database,
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
    with database.reading() as connection:
        return [_run(row) for row in connection.execute(query)]


def set_run_status(
    database: Database, run_id: int, status: RunStatus, *, target_games: int | None
) -> None:
    """Set a run's status; a running one has no end. Raises UnknownRow."""
    ended_at = None if status is RunStatus.RUNNING else time.time()
    values: dict[str, Any] = {"status": status.value, "ended_at": ended_at}
    if target_games is not None:
        values["target_games"] = target_games
    with database.writing() as connection:
        changed = connection.execute(update(Run).where(Run.id == run_id).values(**values))
        if changed.rowcount == 0:
            raise UnknownRow(f"there is no run {run_id}")


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _division(row: Any) -> DivisionRow:
    return DivisionRow(
        id=row.id,
        label=row.label,
        boards=row.boards,
        opening_plies=row.opening_plies,
        budget=msgspec.json.decode(row.budget, type=dict[str, int]),
    )


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
