"""Machines of clusters."""

import time
from typing import Any

from sqlalchemy import Select, func, insert, select, update
from sqlalchemy.orm import aliased

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.models import Game, Machine, Pair, PairMachine
from db.records.machines import MachineRow, MachineTableRow
from db.records.pairs import PairStatus
from engine.result import Result

IDENTITY_COLUMNS = ("name", "cpu", "cores", "kernel", "python", "numba", "ladder")
"""Columns that identify a machine; another value makes another row."""


@retried
class Machines:
    """The machines of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, row: MachineRow) -> int:
        """Store a machine that has joined, or update its speed if it is known; return its id."""
        described = {name: getattr(row, name) for name in IDENTITY_COLUMNS}
        measured = {"speed": row.speed, "joined_at": time.time()}
        with self._database.writing() as connection:
            key = connection.execute(select(Machine.id).filter_by(**described)).scalar()
            if key is None:
                made = connection.execute(
                    insert(Machine).values(**described, **measured).returning(Machine.id)
                )
                return int(made.scalar_one())
            connection.execute(update(Machine).where(Machine.id == key).values(**measured))
            return int(key)

    def names_of_latest(self, run_id: int, pairs: int = 100) -> list[str]:
        """Return the sorted names of the machines that played a run's latest pairs."""
        latest = (
            select(Pair.id)
            .where(Pair.run_id == run_id, Pair.status == PairStatus.FINISHED.value)
            .order_by(Pair.id.desc())
            .limit(pairs)
        )
        query = (
            select(Machine.name)
            .join(PairMachine, PairMachine.machine_id == Machine.id)
            .where(PairMachine.pair_id.in_(latest))
            .distinct()
            .order_by(Machine.name)
        )
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())

    def tables(self, division_id: int, *, since: float | None = None) -> list[MachineTableRow]:
        """Return a division's rated pairs by machine, without those of coordinators' own machines.

        Args:
            division_id: the division.
            since: count only pairs of which both games started then or later, in epoch seconds.

        """
        totals: dict[tuple[str, str, int, int], list[int]] = {}
        with self._database.reading() as connection:
            if connection.execute(select(PairMachine.pair_id).limit(1)).first() is None:
                return []
            for name, boards, a, b, first, second, pairs in connection.execute(
                _results(division_id, since)
            ):
                # `second` is B's result in the game in which it moved first.
                grid = (Result(first).points2, 2 - Result(second).points2)
                if a > b:
                    a, b, grid = b, a, (2 - grid[1], 2 - grid[0])
                counts = totals.setdefault((name, boards, a, b), [0] * 9)
                counts[3 * grid[0] + grid[1]] += pairs
        return [MachineTableRow(*key, tuple(totals[key])) for key in sorted(totals)]


def _results(division_id: int, since: float | None) -> Select[Any]:
    """Count pairs by machine, board class, first movers and results of both games."""
    one, other = aliased(Game), aliased(Game)
    kinds: tuple[Any, ...] = (
        Machine.name,
        one.board_class,
        one.first_revision_id,
        one.second_revision_id,
        one.result,
        other.result,
    )
    query = (
        select(*kinds, func.count())
        .select_from(PairMachine)
        .join(Machine, Machine.id == PairMachine.machine_id)
        .join(one, (one.pair_id == PairMachine.pair_id) & (one.game == 0))
        .join(other, (other.pair_id == PairMachine.pair_id) & (other.game == 1))
        .where(one.division_id == division_id, one.rated.is_(True))
        .group_by(*kinds)
    )
    if since is not None:
        query = query.where(one.started_at >= since, other.started_at >= since)
    return query
