"""What the experiments of the queue have cost so far, and when they will be decided."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from db.records.runs import RunStatus
from db.store import Store
from ladder.experiments.gate.stored import GateState, gate_state
from ladder.queue.cost import Cost, GameTimes, Workload, estimate_cost
from ladder.queue.jobs import Job
from ladder.results.overview.pace import RunPace, measure_paces

ReadCommand = Callable[[Sequence[str]], Sequence[Workload]]


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
    gate: GateState | None = None
    """Where a gate in play stands, once it has games."""
    cost: Cost | None = None
    """The expected cost before it has a run; None if unknown."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the decision at the present speed; None if unknown."""
        speed = None if self.pace is None else self.pace.games_an_hour
        return self.games_left / speed * 3600 if self.games_left is not None and speed else None


def find_outlooks(
    store: Store,
    jobs: Sequence[Job],
    read_command: ReadCommand = lambda _: (),
    *,
    now: float | None = None,
) -> list[Outlook]:
    """Return the experiments with their costs.

    Args:
        store: an open database.
        jobs: the experiments.
        read_command: returns what a command line plays, nothing if unknown.
        now: seconds since the epoch.

    """
    runs = {job.run.row.id: job.run for job in jobs if job.run is not None}
    moment = time.time() if now is None else now
    paces = {pace.run.row.id: pace for pace in measure_paces(store, [*runs.values()], now=moment)}
    seconds = store.games.seconds_by_run([*runs])
    times = GameTimes(store)
    return [
        Outlook(job, cost=_cost(times, job, read_command))
        if job.run is None
        else _outlook(store, job, paces, seconds)
        for job in jobs
    ]


def _cost(times: GameTimes, job: Job, read_command: ReadCommand) -> Cost | None:
    """Return the expected cost of an experiment that has no run."""
    workloads = () if job.state.is_final else read_command(job.entry.words)
    return estimate_cost(times, workloads) if workloads else None


def _outlook(
    store: Store, job: Job, paces: Mapping[int, RunPace], seconds: Mapping[int, float]
) -> Outlook:
    assert job.run is not None  # noqa: S101 - checked by the caller
    row = job.run.row
    gate = gate_state(store, row) if job.run.status is RunStatus.RUNNING else None
    return Outlook(job, paces[row.id], seconds.get(row.id, 0.0), _games_left(job, gate), gate)


def _games_left(job: Job, gate: GateState | None) -> float | None:
    run = job.run
    if run is None or run.status is not RunStatus.RUNNING:
        return None
    target = run.row.target_games
    most = None if target is None else float(max(target - run.games, 0))
    if gate is None:
        return most
    return gate.games_left if most is None else min(gate.games_left, most)
