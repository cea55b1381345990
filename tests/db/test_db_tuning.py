"""The steps of tunings."""

from dataclasses import replace

from db.records.runs import TuningStepRow
from db.store import Store
from tests.db.making import new_run

STEP = TuningStepRow(
    step=1,
    a={"c": 0.5, "n": 3.0},
    b={"c": 0.25, "n": 4.0},
    pentanomial=(1, 0, 2, 0, 1),
    forfeits=1,
    estimate={"c": 0.375, "n": 3.0},
    duration_us=12,
)


def test_steps_come_back_as_they_were_and_go_with_their_run(store: Store) -> None:
    """Each run has its own steps and games, in their order, until it is deleted."""
    one, two = new_run(store), new_run(store)
    for number in (1, 2):
        store.tuning_steps.add(one.id, replace(STEP, step=number))
    store.tuning_steps.add(two.id, STEP)
    assert store.tuning_steps.of_run(one.id) == [STEP, replace(STEP, step=2)]
    assert store.tuning_steps.games_by_run() == {one.id: 16, two.id: 8}
    store.runs.delete(one.id)
    assert store.tuning_steps.of_run(one.id) == []
    assert store.tuning_steps.games_by_run() == {two.id: 8}
