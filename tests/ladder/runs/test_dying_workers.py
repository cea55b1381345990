"""Runs whose workers die: they are given up, and what was planned or stored stays as it is."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

from db.records.pairs import PairPlan, PairRecord
from db.records.runs import RunStatus
from db.store import Store
from engine.board import parse_board_classes
from ladder.errors import InvalidRun
from ladder.match.process.worker_pool import WorkerDied
from ladder.match.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.health import DEATHS_OVER_A_PAIR
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.progress import NullWatcher
from ladder.runs.settings import RunSettings
from ladder.runs.start import start_run
from tests.support.instant_workforce import InstantWorkforce
from tests.support.stops import InstantWorkers
from tests.support.unconfined import UNCONFINED

SETTINGS = RunSettings(
    bots=("random", "stupid"),
    boards=parse_board_classes("4x4"),
    budgets=Budgets({"simulations": 1}),
    pairing=Pairing(RANDOM),
    seed=1,
    games=100,
    confinement=UNCONFINED,
)


class DyingWorkers(InstantWorkers):
    """Workers that die over the pairs for which a test says so."""

    def __init__(self, dies: Callable[[PairPlan], bool]) -> None:
        super().__init__()
        self._dies = dies

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        if not self._dies(plan):
            return super().submit(plan)
        future: Future[PairRecord] = Future()
        future.set_exception(WorkerDied())
        return future


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "ladder.db")) as opened:
        sync_builtins(opened)
        yield opened


def play(store: Store, dies: Callable[[PairPlan], bool], games: int = 100) -> None:
    start_run(
        store=store,
        settings=replace(SETTINGS, games=games),
        bots=[store.bots.get(name) for name in SETTINGS.bots],
        watcher=NullWatcher(),
        workforce=InstantWorkforce(lambda: DyingWorkers(dies)),
    )


def test_a_run_ends_when_workers_die_in_a_row(store: Store) -> None:
    """It is invalid, and its planned pairs are played when the command is repeated."""
    with pytest.raises(InvalidRun, match="worker processes keep dying"):
        play(store, lambda _: True)
    (run,) = store.runs.find()
    assert run.status is RunStatus.INVALID
    assert store.games.count(run.id) == 0
    play(store, lambda _: False)
    (run,) = store.runs.find()
    assert (run.status, store.games.count(run.id)) == (RunStatus.FINISHED, 100)
    numbers = [pair.number for pair in store.pairs.of_run(run.id)]
    assert numbers == list(range(50))


@pytest.mark.slow
def test_a_run_ends_when_one_pair_keeps_killing_its_workers(store: Store) -> None:
    """The pairs that were finished meanwhile stay stored."""
    with pytest.raises(InvalidRun, match=f"{DEATHS_OVER_A_PAIR} times while pair 3 was in play"):
        play(store, lambda plan: plan.number == 3)
    (run,) = store.runs.find()
    numbers = [pair.number for pair in store.pairs.of_run(run.id)]
    assert 3 not in numbers
    assert len(numbers) >= DEATHS_OVER_A_PAIR - 1


@pytest.mark.slow
def test_a_worker_that_dies_once_changes_no_game(store: Store) -> None:
    """Its pair is played again from the same seed."""
    deaths = iter([True])
    play(store, lambda plan: plan.number == 1 and next(deaths, False), games=8)
    (run,) = store.runs.find()
    assert [pair.number for pair in store.pairs.of_run(run.id)] == [0, 1, 2, 3]
