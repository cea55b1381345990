"""Gates that are played and resumed, with workers that play at random in this process."""

from dataclasses import replace
from pathlib import Path

from db.records.pairs import PairRecord
from db.records.runs import RunKind
from db.store import Store
from engine.board import parse_board_classes
from ladder.experiments.engine import ExperimentContext
from ladder.experiments.gate.question import QUESTION, GateTest
from ladder.experiments.gate.session import GateOutcome, gate_pairing, gate_task, play_gate
from ladder.match.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.live import LiveRun, NullWatcher
from ladder.runs.settings import ResumePolicy, RunSettings
from ladder.signals import StopToken, current_stop, use_stop
from tests.support.instant_workforce import InstantWorkforce
from tests.support.unconfined import UNCONFINED

TEST = GateTest(max_drop=100, max_games=40)
SETTINGS = RunSettings(
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
    store: Store, test: GateTest, watcher: NullWatcher, settings: RunSettings = SETTINGS
) -> GateOutcome:
    with use_stop(StopToken()):
        context = ExperimentContext(store, watcher, InstantWorkforce())
        return play_gate(context, gate_task(store, settings, test))


def test_another_question_replaces_that_of_the_resumed_gate(tmp_path: Path) -> None:
    """The resumed run is judged by it, and stored with it; `--new` begins another run."""
    with Store.open(str(tmp_path / "ladder.db")) as store:
        sync_builtins(store)
        begun = play(store, replace(TEST, max_drop=50), StopAfterTwo())
        assert begun.stopped
        anew = play(store, TEST, NullWatcher(), replace(SETTINGS, resume_policy=ResumePolicy.NEVER))
        resumed = play(store, TEST, NullWatcher())
        assert anew.run_id != begun.run_id == resumed.run_id
        assert anew.result.test == resumed.result.test == TEST
        asked = [run.settings[QUESTION] for run in store.runs.find()]
        assert asked == [TEST.settings[QUESTION]] * 2
