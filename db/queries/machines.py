"""Machines of clusters: kept as they join."""

import time

from sqlalchemy import func, insert, select, update

from db.connection.database import Database
from db.connection.patience import retried
from db.models import Machine, PairMachine
from db.records.machines import MachineRow

DESCRIBED = ("name", "cpu", "cores", "kernel", "python", "numba", "ladder")
"""The columns in which two machines differ, or one has changed."""


@retried
class Machines:
    """The machines of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, row: MachineRow) -> int:
        """Store a machine that has joined, or its speed when it is known already; its key."""
        described = {name: getattr(row, name) for name in DESCRIBED}
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

    def all(self) -> list[MachineRow]:
        """All machines in the order in which they first joined, with the number of their pairs."""
        query = (
            select(Machine.__table__, func.count(PairMachine.pair_id).label("pairs"))
            .outerjoin(PairMachine, PairMachine.machine_id == Machine.id)
            .group_by(Machine.id)
            .order_by(Machine.id)
        )
        with self._database.reading() as connection:
            return [
                MachineRow(
                    **{name: getattr(row, name) for name in DESCRIBED},
                    speed=row.speed,
                    pairs=row.pairs,
                )
                for row in connection.execute(query)
            ]
