"""What the experiments of the queue have cost so far, and when they will be decided."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from db.records.queue import EntryState
from db.records.runs import RunStatus
from db.store import Store
from ladder.queue.cost import Cost, GameTimes, Workload, estimate_cost
from ladder.queue.forecast import forecast
from ladder.queue.jobs import Job, find_job, find_jobs, find_live_services
from ladder.results.overview.pace import RunPace, measure_paces

if TYPE_CHECKING:
    from ladder.experiments.gate.stored import GateState

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
    gate: "GateState | None" = None
    """Where a gate in play stands, once it has games."""
    cost: Cost | None = None
    """The expected cost of the whole experiment; None if unknown or ended."""
    start_s: float | None = None
    """Expected seconds until an experiment that waits starts; None if unknown."""
    seconds_left: float | None = None
    """Expected seconds until its decision or its end; None if unknown."""
    unknown: str = ""
    """Why its end is unknown; empty if it is known or has been reached."""

    @property
    def slots(self) -> float:
        """The slots that it uses now, from the durations of its games."""
        speed = None if self.pace is None else self.pace.games_an_hour
        return speed / 3600 * self.machine_s / self.job.games if speed and self.job.games else 0.0

    @property
    def work_s(self) -> float:
        """The expected seconds of one slot until its end; infinite if unknown."""
        if self.games_left is not None and self.job.games:
            return self.games_left * self.machine_s / self.job.games
        cost = self.cost
        if cost is None or cost.most_machine_s is None:
            return math.inf
        whole = cost.most_machine_s if cost.machine_s is None else cost.machine_s
        return max(whole - self.machine_s, 0.0)


def find_outlooks(
    store: Store,
    read_command: ReadCommand,
    *,
    ended: int | None = None,
    now: float | None = None,
) -> list[Outlook]:
    """Return the experiments of the queue with their costs, in the order of `find_jobs`.

    Args:
        store: an open database.
        read_command: returns what a command line plays, nothing if unknown.
        ended: most experiments that have ended; None for all.
        now: seconds since the epoch.

    """
    return _outlooks(store, find_jobs(store, ended=ended), read_command, now)


def find_outlook(store: Store, entry_id: int, read_command: ReadCommand) -> Outlook:
    """Return an experiment of the queue with its costs. Raises UnknownRow."""
    jobs = find_jobs(store, ended=0)
    if all(job.entry.id != entry_id for job in jobs):  # it has ended, perhaps a moment ago
        jobs = [find_job(store, entry_id)]
    outlooks = _outlooks(store, jobs, read_command, None)
    return next(each for each in outlooks if each.job.entry.id == entry_id)


def _outlooks(
    store: Store, jobs: Sequence[Job], read_command: ReadCommand, now: float | None
) -> list[Outlook]:
    runs = {job.run.row.id: job.run for job in jobs if job.run is not None}
    moment = time.time() if now is None else now
    paces = {pace.run.row.id: pace for pace in measure_paces(store, [*runs.values()], now=moment)}
    seconds = store.games.seconds_by_run([*runs])
    times = GameTimes(store)
    found = [_outlook(store, job, times, read_command, paces, seconds) for job in jobs]
    return _with_ends(store, found)


def _outlook(
    store: Store,
    job: Job,
    times: GameTimes,
    read_command: ReadCommand,
    paces: Mapping[int, RunPace],
    seconds: Mapping[int, float],
) -> Outlook:
    """Return an experiment with its own cost and speed."""
    workloads = () if job.state.is_final else read_command(job.entry.words)
    cost = estimate_cost(times, workloads) if workloads else None
    if job.run is None:
        return Outlook(job, cost=cost)
    row = job.run.row
    gate = None
    if not job.state.is_final:
        from ladder.experiments.gate.stored import gate_state

        gate = gate_state(store, row)
    pace, left = paces[row.id], _games_left(job, gate)
    speed = pace.games_an_hour
    return Outlook(
        job,
        pace,
        machine_s=seconds.get(row.id, 0.0),
        games_left=left,
        gate=gate,
        cost=cost,
        seconds_left=left / speed * 3600 if left is not None and speed else None,
    )


def _games_left(job: Job, gate: "GateState | None") -> float | None:
    run = job.run
    if run is None or job.state.is_final or run.status is RunStatus.FINISHED:
        return None
    target = run.row.target_games
    most = None if target is None else float(max(target - run.games, 0))
    if gate is None:
        return most
    return gate.games_left if most is None else min(gate.games_left, most)


def _with_ends(store: Store, outlooks: Sequence[Outlook]) -> list[Outlook]:
    """Add the expected starts and ends that the experiments' own speeds do not show."""
    by_state: dict[EntryState, list[Outlook]] = {state: [] for state in EntryState}
    for each in outlooks:
        by_state[each.job.state].append(each)
    playing, waiting = by_state[EntryState.PLAYING], by_state[EntryState.WAITING]
    services = find_live_services(store) if waiting else []
    slots = sum(each.slots for each in playing)
    forecasts = {}
    if slots:
        forecasts = forecast(
            [each.job.entry for each in playing],
            [each.job.entry for each in waiting] if services else [],
            {each.job.entry.id: each.work_s for each in (*playing, *waiting)},
            jobs=max(min(sum(service.jobs for service in services), round(slots)), len(playing)),
            slots=slots,
        )

    def completed(each: Outlook) -> Outlook:
        state, found = each.job.state, forecasts.get(each.job.entry.id)
        if state.is_final or each.seconds_left is not None:
            return each
        if state is EntryState.PAUSED:
            return replace(each, unknown="it is paused")
        if state is EntryState.WAITING and not services:
            return replace(each, unknown="no service plays the queue")
        start = found.start_s if found is not None and state is EntryState.WAITING else None
        if found is not None and math.isfinite(found.end_s):
            return replace(each, start_s=start, seconds_left=found.end_s)
        if math.isinf(each.work_s):
            why = "how much it plays, or how long a game takes, is not known yet"
        elif not slots:
            why = "no experiment in play has finished games lately, which would show the speed"
        else:
            why = "how much an experiment before it plays is not known yet"
        return replace(each, start_s=start, unknown=why)

    return [completed(each) for each in outlooks]
