"""The gate at the end of a tuning: the tuned bot against the original, on pairs of its own seed."""

from db.records.bots import BotRow, NewBot
from db.records.runs import RunRow, RunStatus
from db.store import Store
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import Gated, conditions_of, judge_of, play_gate
from ladder.experiments.tune.bots import stored, tuned_of
from ladder.experiments.tune.parameters import Setting
from ladder.experiments.tune.task import TuningTask
from ladder.runs.progress import Watcher
from ladder.runs.settings import Settings, identity_hash


def judge_tuned(
    store: Store,
    task: TuningTask,
    run: RunRow,
    original: BotRow | NewBot,
    estimate: Setting,
    watcher: Watcher,
) -> tuple[Gated, BotRow]:
    """The gate of the tuned bot against the original, as it is stored or else played."""
    baseline = stored(store, original)
    tuned = tuned_of(store, task, estimate, baseline, run.id)
    settings = task.gate_settings((tuned.name, baseline.name), run.seed, run.id)
    if tuned.revision.id == baseline.revision.id:
        # Games against itself could only tell that a bot is as good as itself.
        return Gated(
            judge_of(tuned, [baseline], task.test).result(), conditions_of(settings)
        ), tuned
    known = _stored_gate(store, settings, tuned, baseline, task.test)
    if known is not None:
        return known, tuned
    store.runs.set_status(run.id, RunStatus.RUNNING)
    gated = play_gate(
        store=store,
        settings=settings,
        candidate=tuned,
        baselines=[baseline],
        test=task.test,
        watcher=watcher,
    )
    return gated, tuned


def _stored_gate(
    store: Store, settings: Settings, tuned: BotRow, baseline: BotRow, test: GateTest
) -> Gated | None:
    """The finished gate that asked the same of the same bots; None: there is none."""
    hashes = {bot.name: bot.revision.content_hash for bot in (tuned, baseline)}
    stream = identity_hash(settings.describe(hashes), settings.seed)
    for run in store.runs.find(stream=stream):
        if run.status is RunStatus.FINISHED and GateTest.from_settings(run.settings) == test:
            judge = judge_of(tuned, [baseline], test)
            for pair in store.pairs.of_run(run.id):
                judge.take(pair)
            return Gated(judge.result(), conditions_of(settings), run_id=run.id)
    return None
