"""Start of a run: check the settings, resume or create the run, prepare the bots and play."""

import contextlib
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from db.companion_files import LOGS, folder_beside
from db.records.bots import BotRow
from db.records.launch import DEFAULT_LIMITS
from db.records.pairs import Entrant
from db.records.runs import (
    NewRun,
    RunRow,
    RunStatus,
)
from db.store import RunLock, Store
from engine.board import parse_board
from engine.seeds import SEED_LIMIT
from ladder.errors import LadderError
from ladder.harness_version import harness_version
from ladder.match.game.broadcast import channel_name
from ladder.match.process.confinement import Confinement
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.registry.registered import (
    entrants,
    leave_out,
    refuse_boards,
    refuse_changed,
    refuse_short_time,
)
from ladder.match.specs.compile import compile_entrants
from ladder.runs.decision import ENDLESS, Decision, Judge
from ladder.runs.executor import PairExecutor, Workforce
from ladder.runs.health import RunHealth
from ladder.runs.limits_probe import refuse_tight_limits
from ladder.runs.pair_queue import PairQueue
from ladder.runs.progress import Watcher
from ladder.runs.resumable import Resumable, is_unfinished, resumable_runs
from ladder.runs.roster import Roster
from ladder.runs.runner import Runner, RunOutcome
from ladder.runs.schedule import Schedule, refuse_set
from ladder.runs.scoreboard import scoreboard_of
from ladder.runs.settings import (
    ResumePolicy,
    Settings,
    identity_hash,
)
from ladder.runs.workers import Workers
from ladder.signals import current_stop


@dataclass(frozen=True, slots=True)
class NothingToResume:
    """The outcome if no run of these settings was interrupted."""

    others: tuple[Resumable, ...]
    """The interrupted runs with other settings."""


class ThisMachine:
    """The worker processes of this machine."""

    def prepare(self, entrants: Mapping[str, Entrant]) -> None:
        """Compile kernels, and end processes that killed harnesses have left.

        Raises:
            UsageError: a revision from git cannot be compiled.
            LadderError: the current sources cannot be compiled.

        """
        compile_entrants(entrants.values())
        clear_leftovers()

    def start(
        self,
        store: Store,
        run: RunRow,
        settings: Settings,
        bots: Sequence[BotRow],
        entrants: Mapping[str, Entrant],
        logs: Path,
    ) -> PairExecutor:
        """Return a pool of worker processes.

        Moves are broadcast for the live pages, except those of a tuning, which have no pages.
        """
        return Workers(
            settings.concurrency,
            pin=settings.pin,
            confinement=worker_confinement(settings, logs),
            channel=channel_name(store.where) if settings.bots else None,
        )


THIS_MACHINE = ThisMachine()


def worker_confinement(settings: Settings, logs: Path) -> Confinement:
    """Return the bounds of the bots of one worker, whose logs get an equal share of the limit."""
    return replace(
        settings.confinement_in_force,
        logs=logs,
        log_bytes=settings.confinement.log_bytes // settings.concurrency,
    )


def start_run(
    *,
    store: Store,
    settings: Settings,
    bots: Sequence[BotRow],
    watcher: Watcher,
    judge: Judge = ENDLESS,
    workforce: Workforce = THIS_MACHINE,
) -> RunOutcome | NothingToResume:
    """Resume the interrupted run of the same identity, or start a new one, and play it.

    Args:
        store: The open database.
        settings: The settings; its bots are the names of `bots`.
        bots: The registered bots.
        watcher: Shows the run.
        judge: Ends the run when it has decided.
        workforce: Plays the pairs.

    Raises:
        UsageError: a bot supports none of the budgets, plays none of the boards, needs more time
            or has changed, or the schedule is impossible.
        InvalidRun: bots fail or the machine stalls too often.

    """
    store.runs.finish_deferred()
    sides = check_possible(settings, bots)
    workforce.prepare(sides)
    with current_stop().defer(), contextlib.closing(store.run_lock()) as lock:
        taken = take_run(store, lock, settings, hashes_of(bots), judge.settings)
        if taken is None:
            return NothingToResume(resumable_runs(store, lock))
        run, settings = taken
        with run_logs(store, run) as logs:
            return schedule_runner(
                store=store,
                run=run,
                settings=settings,
                schedule=schedule_of(settings, bots, run.seed),
                entrants=sides,
                workers=workforce.start(store, run, settings, bots, sides, logs),
                watcher=watcher,
                judge=judge,
                adopt=lambda: _adopt_orphaned_pairs(store, lock, run),
            ).play()


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


def schedule_runner(
    *,
    store: Store,
    run: RunRow,
    settings: Settings,
    schedule: Schedule,
    entrants: Mapping[str, Entrant],
    workers: PairExecutor,
    watcher: Watcher,
    judge: Judge = ENDLESS,
    adopt: Callable[[], int] = lambda: 0,
) -> Runner:
    """Return a runner that plays and stores the pairs of a schedule.

    Args:
        store: The open database.
        run: The run, stored as running.
        settings: The settings of the run.
        schedule: The stream of pairs, over the names in `entrants`.
        entrants: Every bot of the run by name.
        workers: Plays the pairs.
        watcher: Shows the run.
        judge: Ends the run when it has decided.
        adopt: Takes over the planned pairs of dead runs of the same stream; returns their number.

    """
    decision = Decision(judge)
    live = scoreboard_of(store, run, settings, entrants)
    # A decision needs all of its bots, so none can be paused.
    candidate = settings.pairing.candidate
    needed = entrants if decision.has_judge else [] if candidate is None else [candidate]
    roster = Roster(live.bots, indispensable=frozenset(needed))
    source = PairQueue(
        store=store,
        run=run,
        settings=settings,
        schedule=schedule,
        entrants=entrants,
        adopt=adopt,
        roster=roster,
        judge=judge,
    )
    return Runner(
        store=store,
        run=run,
        source=source,
        decision=decision,
        health=RunHealth(roster),
        workers=workers,
        live=live,
        watcher=watcher,
    )


def leave_out_unfit(
    settings: Settings, bots: Sequence[BotRow], named: Collection[str]
) -> tuple[list[BotRow], dict[str, str]]:
    """Leave out bots that cannot take part and were not chosen by name.

    Args:
        settings: The settings of the run. Bots in its pairing or with budgets of their own count
            as chosen by name.
        bots: The chosen bots.
        named: The names that were chosen without a pattern.

    Returns:
        The remaining bots, and the reason for each bot that is left out, by name.

    """
    needed = {*named, *settings.budgets.odds, settings.pairing.candidate}
    return leave_out(bots, needed, partial(_refuse_unfit, settings))


def _refuse_unfit(settings: Settings, bot: BotRow) -> None:
    refuse_boards([bot], settings.boards)
    if settings.openings is not None:
        refuse_set(bot.name, bot.revision.boards, settings.openings.set)
    refuse_short_time([bot], settings.budgets.time_ms(bot.name))
    settings.budgets.for_bot(bot.name, bot.revision.budgets)
    refuse_changed(bot)


def check_possible(settings: Settings, bots: Sequence[BotRow]) -> dict[str, Entrant]:
    """Check that the bots can play a run, and return them as sides of pairs, by name.

    Raises:
        UsageError: a bot supports none of the budgets, plays none of the boards, needs more time
            or has changed, or the schedule is impossible.

    """
    refuse_boards(bots, settings.boards)
    settings.budgets.refuse_unknown_bots([bot.name for bot in bots])
    for bot in bots:
        refuse_short_time([bot], settings.budgets.time_ms(bot.name))
    found = entrants(
        bots,
        lambda bot: settings.budgets.for_bot(bot.name, bot.revision.budgets),
        settings.restart,
    )
    first = schedule_of(settings, bots, seed=0).pair(0)
    if settings.confinement.limits != DEFAULT_LIMITS:
        compile_entrants(found.values())  # a start must not be a compilation
        refuse_tight_limits([*found.values()], parse_board(first.board), settings.confinement)
    return found


def schedule_of(settings: Settings, bots: Sequence[BotRow], seed: int) -> Schedule:
    """Return the stream of pairs that follows from a seed."""
    plays = {bot.name: bot.revision.boards for bot in bots if bot.revision.boards is not None}
    return Schedule(
        bots={bot.name: bot.revision.id for bot in sorted(bots, key=lambda bot: bot.name)},
        pairing=settings.pairing,
        boards=settings.boards,
        opening_plies=settings.opening_plies,
        seed=seed,
        plays=plays,
        openings=None if settings.openings is None else settings.openings.set,
        derivation=settings.derivation,
    )


def hashes_of(bots: Iterable[BotRow]) -> dict[str, str]:
    """Return the content hash of every bot by name."""
    return {bot.name: bot.revision.content_hash for bot in bots}


def former_runs(
    settings: Settings, find: Callable[[Settings], Iterable[RunRow]]
) -> Iterator[tuple[RunRow, Settings]]:
    """Yield stored runs with the settings to resume them, newest first.

    A run keeps its derivation of seeds, so `find` is called with the settings under each
    derivation, the current one first.
    """
    for each in settings.with_older_derivations():
        for run in find(each):
            yield run, each


def runs_like(
    store: Store, settings: Settings, hashes: Mapping[str, str]
) -> Iterator[tuple[RunRow, Settings]]:
    """Yield the stored runs of the same identity, and seed if one is given, newest first."""

    def find(each: Settings) -> list[RunRow]:
        found = store.runs.find(identity=identity_hash(each.describe(hashes)))
        return [run for run in found if each.seed is None or run.seed == each.seed]

    return former_runs(settings, find)


def take_run(
    store: Store,
    lock: RunLock,
    settings: Settings,
    hashes: Mapping[str, str],
    question: Mapping[str, object],
    is_open: Callable[[RunRow], bool] = is_unfinished,
) -> tuple[RunRow, Settings] | None:
    """Lock and return the run to play, and its settings, or None if no run can be resumed.

    It is the newest open run of the identity that no process plays, else a new one.

    Args:
        store: The open database.
        lock: The run lock of this process.
        settings: The settings. Those returned may have another derivation of seeds: that of the
            resumed run, or of a run in progress whose stream a new run shares.
        hashes: The content hash of every bot by name.
        question: Settings that are stored with the run and are no part of its identity.
        is_open: Returns whether a stored run can be resumed.

    Raises:
        LadderError: another process has locked a run that was just created.

    """
    beside = settings
    if settings.resume_policy is not ResumePolicy.NEVER:
        for former, each in runs_like(store, settings, hashes):
            if is_open(former) and lock.try_acquire(former.id):
                if is_unfinished(former):
                    store.runs.set_status(
                        former.id, RunStatus.RUNNING, target_games=settings.target_games
                    )
                if settings.note:
                    store.runs.set_note(former.id, settings.note)
                store.runs.add_settings(former.id, {**settings.kept, **question})
                return store.runs.get(former.id), each
            if is_open(former):
                beside = each
    if settings.resume_policy is ResumePolicy.ONLY:
        return None
    run = _create_run(store, lock, beside, hashes, question)
    # A run that ended by its time limit leaves pairs planned. They are played first, so that no
    # number of the stream stays unplayed.
    _adopt_orphaned_pairs(store, lock, run)
    return run, beside


def _seed(store: Store, settings: Settings, description: Mapping[str, object]) -> int:
    """Return the given seed, else that of the newest run of the identity, else a random one."""
    if settings.seed is not None:
        return settings.seed
    if settings.bots and settings.resume_policy is not ResumePolicy.NEVER:
        for run in store.runs.find(identity=identity_hash(description)):
            return run.seed
    return secrets.randbelow(SEED_LIMIT)


def _create_run(
    store: Store,
    lock: RunLock,
    settings: Settings,
    hashes: Mapping[str, str],
    question: Mapping[str, object],
) -> RunRow:
    """Store and lock a new run."""
    description = settings.describe(hashes)
    seed = _seed(store, settings, description)
    if settings.openings is not None:
        store.opening_sets.save(settings.openings.row)
    run = store.runs.create(
        NewRun(
            kind=settings.kind,
            rated=settings.rated,
            stream=identity_hash(description, seed),
            identity=identity_hash(description),
            settings={
                **description,
                **settings.surroundings(),
                **question,
                "harness": harness_version(),
            },
            seed=seed,
            division_id=store.divisions.ensure(*settings.division()).id,
            target_games=settings.target_games,
            note=settings.note,
        )
    )
    if not lock.try_acquire(run.id):
        raise LadderError(f"run {run.id} was just created but is locked by another process")
    return run


def _adopt_orphaned_pairs(store: Store, lock: RunLock, run: RunRow) -> int:
    """Take over the planned pairs of dead runs of the same stream; return their number."""
    orphaned = [
        other.id
        for other in store.runs.find(stream=run.stream)
        if other.id != run.id and not lock.is_alive(other.id)
    ]
    return store.pairs.reassign(run.id, orphaned)
