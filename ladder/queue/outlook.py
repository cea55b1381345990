"""What the experiments of the queue have cost so far, and when they will be decided."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from db.records.runs import RunStatus
from db.store import Store
from ladder.experiments.gate.cost import games_left
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.stored import HeadToHead, running_trials
from ladder.queue.jobs import Job
from ladder.results.overview.pace import RunPace, measure_paces
from ladder.stats.sprt import State


@dataclass(frozen=True, slots=True)
class Outlook:
    """An experiment of the queue with its costs and its expected end."""

    job: Job
    pace: RunPace | None = None
    """The speed of its newest run; None until it has one."""
    machine_s: float = 0.0
    """Sum of the durations of its newest run's games: the processor seconds of one slot."""
    games_left: float | None = None
    """Games until the decision or the target; None if unknown."""
    trial: HeadToHead | None = None
    """The gate or match in play, once it has games."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the decision at the present speed; None if unknown."""
        speed = None if self.pace is None else self.pace.games_an_hour
        return self.games_left / speed * 3600 if self.games_left is not None and speed else None


def find_outlooks(store: Store, jobs: Sequence[Job], *, now: float | None = None) -> list[Outlook]:
    """Return the experiments with their costs; `now` is in seconds since the epoch."""
    runs = {job.run.row.id: job.run for job in jobs if job.run is not None}
    moment = time.time() if now is None else now
    paces = {pace.run.row.id: pace for pace in measure_paces(store, [*runs.values()], now=moment)}
    trials = running_trials(store, [*paces.values()])
    seconds = store.games.seconds_by_run([*runs])
    return [
        Outlook(job)
        if job.run is None
        else Outlook(
            job,
            paces[job.run.row.id],
            seconds.get(job.run.row.id, 0.0),
            _games_left(job, trials.get(job.run.row.id)),
            trials.get(job.run.row.id),
        )
        for job in jobs
    ]


def _games_left(job: Job, trial: HeadToHead | None) -> float | None:
    run = job.run
    if run is None or run.status is not RunStatus.RUNNING:
        return None
    target = run.row.target_games
    most = None if target is None else float(max(target - run.games, 0))
    if trial is None or trial.result is None:
        return most
    expected = _until_decision(trial.result)
    return expected if most is None or (expected is not None and expected < most) else most


def _until_decision(result: GateResult) -> float | None:
    """Return the expected games until all baselines are decided; None if one has no games."""
    test = result.test.sprt(len(result.baselines))
    open_ones = [each for each in result.baselines if each.state is State.CONTINUE]
    left = [games_left(each.pentanomial, test) for each in open_ones]
    return None if None in left else sum(games for games in left if games is not None)
