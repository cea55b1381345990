"""The search of a tuning: the steps that are missing are played and stored, one after the other."""

import contextlib
from dataclasses import dataclass, field, replace
from typing import Protocol

from db.beside import LOGS, folder_beside
from db.records.bots import BotRow, NewBot
from db.records.pairs import PairRecord
from db.records.runs import RunRow, RunStatus
from db.records.tuning import TuningStepRow
from db.store import Store
from ladder.errors import Stopped
from ladder.experiments.gate.session import conditions_of
from ladder.experiments.tune.parameters import Parameter, Setting
from ladder.experiments.tune.spsa import Spsa
from ladder.experiments.tune.steps import StepPlayer, lead_of
from ladder.experiments.tune.task import TuningTask
from ladder.runs.progress import LiveRun, RunEnding
from ladder.runs.workers import Workers


@dataclass(slots=True)
class LiveTuning(LiveRun):
    """The state of a tuning's steps for its watcher."""

    parameters: tuple[Parameter, ...] = ()
    estimate: Setting = field(default_factory=dict)
    """The values that the search has come to."""


class TuningWatcher(Protocol):
    """Shows a search to somebody."""

    def started(self, state: LiveTuning) -> None:
        """The search begins or goes on."""

    def pair_finished(self, state: LiveTuning, record: PairRecord) -> None:
        """A pair was played."""

    def tick(self, state: LiveTuning) -> None:
        """Some time has passed, at most a quarter of a second."""

    def warned(self, state: LiveTuning, sentence: str) -> None:
        """Something happened that the user should know."""

    def ended(self, state: LiveTuning) -> None:
        """No more steps will be played."""


def resumed(store: Store, task: TuningTask, run: RunRow) -> tuple[Spsa, list[TuningStepRow]]:
    """The search as its log left it."""
    search = Spsa(task.template.parameters, steps=task.steps, seed=run.seed)
    steps = store.tuning_steps.of_run(run.id)
    for step in steps:
        search.tell(lead_of(step.pentanomial))
    return search, steps


def play_search(
    store: Store,
    task: TuningTask,
    run: RunRow,
    original: BotRow | NewBot,
    search: Spsa,
    steps: list[TuningStepRow],
    watcher: TuningWatcher,
) -> bool:
    """Play and store the steps that are missing; False after a stop."""
    if search.step >= task.steps:
        return True
    store.runs.set_status(run.id, RunStatus.RUNNING)
    settings = task.settings
    live = LiveTuning(
        run_id=run.id,
        seed=run.seed,
        title=f"{task.template.title}; {conditions_of(settings)}",
        target_games=task.games,
        games_before=sum(step.games for step in steps),
        bots={},
        workers=settings.concurrency,
        parameters=task.template.parameters,
        estimate=search.estimate,
    )

    def tick(record: PairRecord | None) -> None:
        if record is None:
            watcher.tick(live)
            return
        live.aborted_games += record.aborts
        live.count(len(record.games))
        watcher.pair_finished(live, record)

    def warn(sentence: str) -> None:
        live.warnings.append(sentence)
        watcher.warned(live, sentence)

    logs = folder_beside(store.path, LOGS) / f"run-{run.id}"
    confinement = replace(
        settings.confinement_in_force,
        logs=logs,
        log_bytes=settings.confinement.log_bytes // settings.concurrency,
    )
    workers = Workers(settings.concurrency, pin=settings.pin, confinement=confinement)
    player = StepPlayer(task, original, seed=run.seed, workers=workers, tick=tick, warn=warn)
    watcher.started(live)
    try:
        while search.step < task.steps:
            a, b = search.ask()
            played = player.play(search.step + 1, a, b)
            search.tell(lead_of(played.pentanomial))
            live.estimate = search.estimate
            step = TuningStepRow(
                step=search.step,
                a=a,
                b=b,
                pentanomial=played.pentanomial,
                forfeits=played.forfeits,
                estimate=search.estimate,
                duration_us=played.duration_us,
            )
            store.tuning_steps.add(run.id, step)
            steps.append(step)
        live.ending = RunEnding.DONE
        workers.close()
    except Stopped:
        live.ending = RunEnding.STOPPED
    finally:
        workers.kill()
        live.games = sum(step.games for step in steps) - live.games_before
        with contextlib.suppress(OSError):  # they stay when a bot left words on its stderr
            logs.rmdir()
            logs.parent.rmdir()
        watcher.ended(live)
    return live.ending is RunEnding.DONE
