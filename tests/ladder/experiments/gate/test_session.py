"""Gates that are played and resumed, with workers that play at random in this process."""

from dataclasses import replace
from pathlib import Path

import pytest

from db.records.pairs import PairRecord
from db.records.runs import RunKind
from db.store import Store
from engine.board import parse_board_classes
from ladder.experiments.engine import ExperimentContext
from ladder.experiments.gate.question import QUESTION, GateTest
from ladder.experiments.gate.session import GateOutcome, gate_pairing, gate_task, play_gate
from ladder.match.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.progress import LiveRun, NullWatcher
from ladder.runs.settings import ResumePolicy, Settings
from ladder.signals import StopToken, current_stop, use_stop
from tests.support.instant_workforce import InstantWorkforce
from tests.support.unconfined import UNCONFINED

TEST = GateTest(max_drop=100, max_games=40)
SETTINGS = Settings(
    kind=RunKind.GATE,
    rated=False,
    bots=("random", "stupid"),
    boards=parse_board_classes("4x4"),
    budgets=Budgets({"simulations": 1}),
    pairing=gate_pairing("random", "stupid"),
    seed=1,
    games=40,
    confinement=UNCONFINED,
)


class StopAfterTwo(NullWatcher):
    """Requests a stop after two pairs."""

    def __init__(self) -> None:
        self._pairs = 0

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        self._pairs += 1
        if self._pairs == 2:
            current_stop().request()


def play(
    store: Store, test: GateTest, watcher: NullWatcher, settings: Settings = SETTINGS
) -> GateOutcome:
    with use_stop(StopToken()):
        context = ExperimentContext(store, watcher, InstantWorkforce())
        return play_gate(context, gate_task(store, settings, test))


@pytest.mark.parametrize(
    ("interrupted", "expected"),
    [
        (replace(TEST, early=0.0), replace(TEST, early=0.0)),
        (TEST, TEST),
        (replace(TEST, max_drop=50, early=0.0), TEST),
    ],
)
def test_a_resumed_gate_has_the_early_test_that_it_began_with(
    tmp_path: Path, interrupted: GateTest, expected: GateTest
) -> None:
    """A gate of an earlier version has none to its end; another question replaces the stored one,
    and the next gate is a new one."""
    with Store.open(str(tmp_path / "ladder.db")) as store:
        sync_builtins(store)
        begun = play(store, interrupted, StopAfterTwo())
        assert begun.stopped
        resumed = play(store, TEST, NullWatcher())
        assert (resumed.run_id, resumed.result.test) == (begun.run_id, expected)
        (run,) = store.runs.find()
        assert run.settings[QUESTION] == expected.settings[QUESTION]
        assert play(store, TEST, NullWatcher()).result.test == TEST


def test_a_new_gate_beside_an_interrupted_one_has_the_test_of_its_own(tmp_path: Path) -> None:
    """`--new` resumes nothing, so it takes no question from an unfinished gate either."""
    with Store.open(str(tmp_path / "ladder.db")) as store:
        sync_builtins(store)
        play(store, replace(TEST, early=0.0), StopAfterTwo())
        settings = replace(SETTINGS, resume_policy=ResumePolicy.NEVER)
        assert play(store, TEST, NullWatcher(), settings).result.test == TEST
