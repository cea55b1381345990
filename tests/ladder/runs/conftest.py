"""Runs without worker processes, on a database that knows the built-in players."""

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from db.records.pairs import PairRecord
from db.store import Store
from engine.board_class import parse_board_classes
from ladder.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.decision import ENDLESS, Judge
from ladder.runs.executor import PairExecutor, Workforce
from ladder.runs.lineup import line_up
from ladder.runs.live import LiveRun, NullWatcher
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.runner import RunOutcome
from ladder.runs.settings import RunSettings
from ladder.runs.start import start_run
from ladder.signals import StopToken, current_stop, use_stop
from tests.support.instant_workforce import InstantWorkers, InstantWorkforce
from tests.support.unconfined import UNCONFINED

FIVE = ("flat-mc", "random", "stupid", "v1", "v2")
SETTINGS = RunSettings(
    bots=("random", "stupid"),
    boards=parse_board_classes("4x4"),
    budgets=Budgets({"simulations": 1}),
    pairing=Pairing(RANDOM),
    seed=1,
    games=20,
    confinement=UNCONFINED,
)


@cache
def database() -> bytes:
    """Return a database with the built-in players."""
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(f"{folder}/ladder.db") as store:
            sync_builtins(store)
        return Path(folder, "ladder.db").read_bytes()


def open_store(folder: Path) -> Store:
    """Open the database in a folder, which gets one with the built-in players if it has none."""
    file = folder / "ladder.db"
    if not file.exists():
        folder.mkdir(exist_ok=True)
        file.write_bytes(database())
    return Store.open(str(file))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a database with the built-in players."""
    with open_store(tmp_path) as opened:
        yield opened


class Stopper(NullWatcher):
    """A watcher that counts pairs, and requests a stop after some of them."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.pairs = 0
        self._stop_after = stop_after

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        self.pairs += 1
        if self.pairs == self._stop_after:
            current_stop().request()


def play(
    store: Store,
    settings: RunSettings,
    watcher: NullWatcher,
    workers: Callable[[], PairExecutor] = InstantWorkers,
    workforce: Workforce | None = None,
    judge: Judge = ENDLESS,
) -> RunOutcome:
    """Play a run until its end or a stop."""
    with use_stop(StopToken()):
        outcome = start_run(
            store=store,
            lineup=line_up(store, settings, [store.bots.get(name) for name in settings.bots]),
            watcher=watcher,
            workforce=workforce or InstantWorkforce(workers),
            judge=judge,
        )
    assert isinstance(outcome, RunOutcome)
    return outcome
