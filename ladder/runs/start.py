"""From settings to a finished run: choose or resume the run, prepare the bots, play."""

import contextlib
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from db.beside import LOGS, folder_beside
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
from ladder.signals import stops_heeded


@dataclass(frozen=True, slots=True)
class NothingToResume:
    """There was no interrupted run of these settings to complete."""

    others: tuple[Resumable, ...]
    """The interrupted runs of other settings."""


class ThisMachine:
    """The worker processes of this machine."""

    def prepare(self, entrants: Mapping[str, Entrant]) -> None:
        """Compile kernels, and end what killed harnesses have left.

        Raises:
            UsageError: the compilation of a revision from git failed.
            LadderError: that of the current sources did.

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
        """Return worker processes, one for each pair that is played at the same time.

        Pages show the boards of registered bots alone: settings of a tuning have no pages.
        """
        confinement = replace(
            settings.confinement_in_force,
            logs=logs,
            log_bytes=settings.confinement.log_bytes // settings.concurrency,
        )
        return Workers(
            settings.concurrency,
            pin=settings.pin,
            confinement=confinement,
            channel=channel_name(store.where) if settings.bots else None,
        )


THIS_MACHINE = ThisMachine()


def start_run(
    *,
    store: Store,
    settings: Settings,
    bots: Sequence[BotRow],
    watcher: Watcher,
    judge: Judge = ENDLESS,
    workforce: Workforce = THIS_MACHINE,
) -> RunOutcome | NothingToResume:
    """Play a run: resume the interrupted one of the same identity, or start a new one.

    Args:
        store: the open database.
        settings: what was asked for; its bots are the names of `bots`.
        bots: the registered bots.
        watcher: is told what happens.
        judge: ends the run when it has decided.
        workforce: plays the pairs.

    Raises:
        UsageError: a bot is served by none of the budgets, plays none of the boards, needs more
            time or has changed, or the schedule is impossible.
        InvalidRun: bots fail or the machine stalls so that the run means nothing.

    """
    store.runs.finish_late()
    sides = check_possible(settings, bots)
    workforce.prepare(sides)
    with stops_heeded(), contextlib.closing(store.run_lock()) as lock:
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
                adopt=lambda: _adopt_orphaned(store, lock, run),
            ).play()


@contextlib.contextmanager
def run_logs(store: Store, run: RunRow) -> Iterator[Path]:
    """Give the folder for what bots write to stderr; it is removed in the end if it is empty."""
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
    """Return a runner for the stored pairs of a schedule.

    Args:
        store: the open database.
        run: the run, stored as running.
        settings: what was asked for.
        schedule: the stream of pairs, over the names in `entrants`.
        entrants: every bot of the run by name.
        workers: plays the pairs.
        watcher: shows the run.
        judge: ends the run when it has decided.
        adopt: takes over the planned pairs of dead runs of the same stream; how many.

    """
    decision = Decision(judge)
    live = scoreboard_of(store, run, settings, entrants)
    # A decision is about all of its bots: none can be spared.
    candidate = settings.pairing.candidate
    needed = entrants if decision.is_asked else [] if candidate is None else [candidate]
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
        settings: of the run; who stands in its pairing or has a budget of its own is named, too.
        bots: the chosen ones.
        named: those that were chosen by name, not by a pattern.

    Returns:
        The other bots, and by name the reason why each of those is left out.

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
    """Refuse a run that the bots cannot play; every bot as it will take part, by name.

    Raises:
        UsageError: a bot is served by none of the budgets, plays none of the boards, needs more
            time or has changed, or the schedule is impossible.

    """
    refuse_boards(bots, settings.boards)
    settings.budgets.refuse_strangers([bot.name for bot in bots])
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
    """Return the stream of pairs of a seed."""
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
    """Yield stored runs with the settings under which they continue, newest first.

    A run keeps the derivation of seeds that it began with, so `find` is called with the settings
    under each derivation, the current one first.
    """
    for each in settings.with_older_derivations():
        for run in find(each):
            yield run, each


def runs_like(
    store: Store, settings: Settings, hashes: Mapping[str, str]
) -> Iterator[tuple[RunRow, Settings]]:
    """Yield the stored runs of the same identity and, where one is given, seed, newest first."""

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
    """Return the run to play, locked, and its settings; None if there is none to complete.

    It is the newest open run of the identity that no process plays, else a new one.

    Args:
        store: of the database.
        lock: of this process.
        settings: what was asked for. Those returned differ in the derivation of seeds alone: it is
            that of the run, or of one that is being played, so that a new run shares its stream.
        hashes: the content hash of every bot by name.
        question: settings that are kept with the run and are no part of its identity.
        is_open: whether a stored run can be continued.

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
    # A run that was ended by --hours leaves pairs planned; they come first, so that no number of
    # the stream stays unplayed.
    _adopt_orphaned(store, lock, run)
    return run, beside


def _seed(store: Store, settings: Settings, description: Mapping[str, object]) -> int:
    """Return the given seed, or that of the newest run of the identity, or a new one."""
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
    """Store and lock a new run with its openings, its limits and `question`."""
    description = settings.describe(hashes)
    seed = _seed(store, settings, description)
    if settings.openings is not None:
        store.opening_sets.keep(settings.openings.row)
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


def _adopt_orphaned(store: Store, lock: RunLock, run: RunRow) -> int:
    """Take over the planned pairs of runs of the same stream that no process plays; how many."""
    orphaned = [
        other.id
        for other in store.runs.find(stream=run.stream)
        if other.id != run.id and not lock.is_alive(other.id)
    ]
    return store.pairs.adopt(run.id, orphaned)
