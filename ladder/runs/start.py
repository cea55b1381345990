"""Start of a run: check the settings, resume or create the run, prepare the bots and play."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from db.companion_files import LOGS, folder_beside
from db.records.runs import RunRow
from db.store import Store
from ladder.match.game.adjudicator import compile_solver, needs_compiling
from ladder.match.process.cpus import crowded_text
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.process.worker_pool import call_in_subprocess
from ladder.registry.specs.start_command import compile_players
from ladder.runs.channel import channel_name
from ladder.runs.choosers import read_results
from ladder.runs.decision import ENDLESS, Judge
from ladder.runs.executor import MachineEvent, PairExecutor, Workforce
from ladder.runs.health import RunHealth
from ladder.runs.lineup import Lineup
from ladder.runs.live import RunWatcher, live_run_of
from ladder.runs.resume import adopt_orphaned_pairs, hashes_of, resume_or_create
from ladder.runs.runner import Runner, RunOutcome
from ladder.runs.schedule import Schedule
from ladder.runs.settings import RunSettings
from ladder.runs.stored_pairs import StoredPairs
from ladder.runs.workers import Workers
from ladder.signals import current_stop


class ThisMachine:
    """The worker processes of this machine."""

    def __init__(self, workers: Callable[..., PairExecutor] = Workers) -> None:
        """Set what starts the pool of workers; takes what `Workers` takes."""
        self._workers = workers
        self._has_warned = False
        """Whether a run was warned of other programs; a bisection plays one after the other."""

    def prepare(self, lineup: Lineup) -> None:
        """Compile kernels, and end processes that killed harnesses have left.

        Raises:
            UsageError: a revision from git cannot be compiled.
            LadderError: the current sources cannot be compiled.

        """
        compile_players(lineup.sides.values())
        adjudicated = lineup.settings.adjudicated_boards
        if adjudicated and needs_compiling(adjudicated):
            call_in_subprocess(compile_solver, adjudicated)
        clear_leftovers()

    def start(
        self,
        store: Store,
        run: RunRow,
        lineup: Lineup,
        logs: Path,
    ) -> PairExecutor:
        """Return a pool of worker processes.

        Moves are broadcast for the live pages, except those of a tuning, which have no pages. The
        bots of each worker get an equal share of the limit on logs. Its events begin with a warning
        if bots with a time must share their CPUs.
        """
        settings, text = lineup.settings, ""
        if settings.budgets.is_timed and not self._has_warned:
            text = crowded_text(settings.concurrency)
            self._has_warned = bool(text)
        return self._workers(
            settings.concurrency,
            pin=settings.pin,
            confinement=replace(
                settings.confinement,
                logs=logs,
                log_bytes=settings.confinement.log_bytes // settings.concurrency,
            ),
            channel=channel_name(store.where) if settings.bots else None,
            events=[MachineEvent(text, is_warning=True)] if text else (),
        )


THIS_MACHINE = ThisMachine()


def start_run(
    *,
    store: Store,
    lineup: Lineup,
    watcher: RunWatcher,
    judge: Judge = ENDLESS,
    workforce: Workforce = THIS_MACHINE,
) -> RunOutcome | None:
    """Resume the interrupted run of the same identity, or start a new one, and play it.

    Under `ResumePolicy.ONLY` the result is None if no run can be resumed.

    Args:
        store: The open database.
        lineup: The settings and the bots.
        watcher: Shows the run.
        judge: Ends the run when it has decided.
        workforce: Plays the pairs.

    Raises:
        UsageError: a bot cannot be prepared.
        InvalidRun: bots fail or the machine stalls too often.

    """
    store.runs.finish_deferred()
    settings, bots, sides = lineup.settings, lineup.bots, lineup.sides
    workforce.prepare(lineup)
    with current_stop().defer(), contextlib.closing(store.run_lock()) as lock:
        run = resume_or_create(store, lock, settings, hashes_of(bots), judge.settings)
        if run is None:
            return None
        results = partial(read_results, store, run.stream)
        schedule = Schedule(settings, bots, run.seed, results, run.renamed)
        candidate = settings.pairing.candidate
        needed = sides if judge.needs_all else [candidate] if candidate is not None else []
        health = RunHealth(sides, schedule.possible_meetings, needed)
        judge.begin(health.paused)
        source = StoredPairs(
            store=store,
            run=run,
            schedule=schedule,
            entrants=sides,
            adopt=lambda: adopt_orphaned_pairs(store, lock, run),
            health=health,
        )
        with run_logs(store, run) as logs:
            return Runner(
                store=store,
                run=run,
                source=source,
                judge=judge,
                health=health,
                workers=workforce.start(store, run, lineup, logs),
                live=live_run_of(store, run, settings, sides),
                watcher=watcher,
                target_games=settings.target_games,
                deadline=deadline_of(store, run, settings),
            ).play()


def deadline_of(store: Store, run: RunRow, settings: RunSettings) -> float | None:
    """Return the monotonic time at which a run ends, of which earlier sessions have used a part."""
    if settings.seconds is None:
        return None
    return time.monotonic() + settings.seconds - store.pairs.played_s(run.id)


@contextlib.contextmanager
def run_logs(store: Store, run: RunRow) -> Iterator[Path]:
    """Yield the folder for the stderr output of bots; remove it afterwards if it is empty."""
    logs = folder_beside(store.path, LOGS) / f"run-{run.id}"
    try:
        yield logs
    finally:
        with contextlib.suppress(OSError):
            logs.rmdir()
            logs.parent.rmdir()
