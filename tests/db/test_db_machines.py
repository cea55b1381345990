"""Machines of clusters are stored as they join, and with every pair that they played."""

from dataclasses import replace
from random import Random

import msgspec

from db.records.machines import MachineRow
from db.store import Store
from tests.db.making import add_bots, elo, maker, new_run, played, to_plan
from tests.support.sql import execute_sql
from tests.support.storing import finish_pair

LAB = MachineRow("lab1", "AMD EPYC", 8, "Linux 6.1", "3.11.7", "0.68.1", "0.1.0", 420.0)


def test_each_pair_knows_its_machine(store: Store) -> None:
    """A machine that joins again is the same one, unless its kernel has changed.

    Pairs of the coordinator's own machine have none.
    """
    lab = store.machines.save(LAB)
    assert store.machines.save(replace(LAB, speed=300.0)) == lab
    newer = store.machines.save(replace(LAB, kernel="Linux 6.2"))
    run = new_run(store)
    rows = store.pairs.plan(run.id, 3, maker(add_bots(store)))
    for row, machine in zip(rows, (lab, lab, None), strict=True):
        plan = to_plan(row)
        record = msgspec.structs.replace(played(row, Random(row.number)), machine=machine)
        finish_pair(store, plan, record, elo)
    known = execute_sql(store.where, "SELECT kernel, speed FROM machines ORDER BY id")
    assert known == [("Linux 6.1", 300.0), ("Linux 6.2", 420.0)]
    assert execute_sql(store.where, "SELECT machine_id FROM pair_machines") == [(lab,), (lab,)]
    assert newer != lab
    assert store.machines.names_of_latest(run.id) == ["lab1"]
    assert store.machines.names_of_latest(run.id, pairs=1) == []
    assert store.runs.delete(run.id, elo) == 6
    assert execute_sql(store.where, "SELECT machine_id FROM pair_machines") == []
