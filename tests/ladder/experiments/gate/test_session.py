"""Gates that are played and resumed, with workers that play at random in this process."""

from dataclasses import replace
from pathlib import Path

from db.records.runs import RunKind
from db.store import Store
from ladder.experiments.engine import ExperimentContext
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import GateOutcome, gate_pairing, gate_task, play_gate
from ladder.runs.lineup import line_up
from ladder.runs.settings import ResumePolicy
from ladder.signals import StopToken, use_stop
from tests.ladder.runs.conftest import SETTINGS, Stopper, open_store
from tests.support.instant_workforce import InstantWorkforce

TEST = GateTest(max_drop=100, max_games=40)
GATE = replace(
    SETTINGS, kind=RunKind.GATE, rated=False, pairing=gate_pairing("random", "stupid"), games=40
)


def play(
    store: Store,
    test: GateTest,
    stop_after: int | None = None,
    policy: ResumePolicy = ResumePolicy.AUTO,
) -> GateOutcome:
    with use_stop(StopToken()):
        context = ExperimentContext(store, Stopper(stop_after), InstantWorkforce())
        task = gate_task(store, replace(GATE, resume_policy=policy), test)
        return play_gate(context, task, line_up(store, task.settings, task.bots))


def test_another_question_replaces_that_of_the_resumed_gate(tmp_path: Path) -> None:
    """The resumed run is judged by it, and stored with it; `--new` begins another run."""
    with open_store(tmp_path) as store:
        begun = play(store, replace(TEST, max_drop=50), stop_after=2)
        assert begun.stopped
        anew = play(store, TEST, policy=ResumePolicy.NEVER)
        resumed = play(store, TEST)
        assert anew.run_id != begun.run_id == resumed.run_id
        assert anew.result.test == resumed.result.test == TEST
        assert [GateTest.of(run.settings) for run in store.runs.find()] == [TEST] * 2
