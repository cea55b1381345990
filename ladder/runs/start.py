"""From settings to a finished run: choose or resume the run, prepare the bots, play."""

import contextlib
import secrets
from collections.abc import Collection, Mapping, Sequence
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
from ladder.match.game.broadcast import channel_of
from ladder.match.process.leftovers import clear_leftovers
from ladder.match.registry.registered import (
    entrants,
    leave_out,
    refuse_boards,
    refuse_changed,
    refuse_hurried,
)
from ladder.match.specs.compile import compile_entrants
from ladder.runs.decision import Judge
from ladder.runs.executor import PairExecutor, Workforce
from ladder.runs.limits_probe import refuse_tight_limits
from ladder.runs.progress import Watcher
from ladder.runs.resumable import Resumable, is_unfinished, resumable_runs
from ladder.runs.runner import (
    Runner,
    RunOutcome,
)
from ladder.runs.schedule import Schedule, refuse_set
from ladder.runs.settings import (
    Continue,
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
        """Worker processes, one for each pair that is played at the same time."""
        confinement = replace(
            settings.confinement_in_force,
            logs=logs,
            log_bytes=settings.confinement.log_bytes // settings.concurrency,
        )
        return Workers(
            settings.concurrency,
            pin=settings.pin,
            confinement=confinement,
            channel=channel_of(store.where),
        )


THIS_MACHINE = ThisMachine()


def start_run(
    *,
    store: Store,
    settings: Settings,
    bots: Sequence[BotRow],
    watcher: Watcher,
    judge: Judge | None = None,
    workforce: Workforce = THIS_MACHINE,
) -> RunOutcome | NothingToResume:
    """Play a run: resume the interrupted one of the same identity, or start a new one.

    Args:
        store: the open database.
        settings: what was asked for; its bots are the names of `bots`.
        bots: the registered bots.
        watcher: is told what happens.
        judge: ends the run when it has decided; None: nothing but the settings ends it.
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
        former, settings = _interrupted(store, lock, settings, bots)
        if former is None and settings.continuing is Continue.ONLY:
            return NothingToResume(resumable_runs(store, lock))
        description = settings.describe(_hashes(bots))
        seed = _seed(store, settings, former, description)
        question = {} if judge is None else judge.settings
        run = _take_up(store, lock, settings, former, description, seed, question)
        logs = folder_beside(store.path, LOGS) / f"run-{run.id}"
        runner = Runner(
            store=store,
            run=run,
            settings=settings,
            schedule=_schedule(settings, bots, seed),
            entrants=sides,
            workers=workforce.start(store, run, settings, bots, sides, logs),
            watcher=watcher,
            judge=judge,
            adopt=lambda: _adopt_dead(store, lock, run),
        )
        try:
            return runner.play()
        finally:
            with contextlib.suppress(OSError):  # they stay when a bot left words on its stderr
                logs.rmdir()
                logs.parent.rmdir()


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
    refuse_hurried([bot], settings.budgets.time_ms(bot.name))
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
        refuse_hurried([bot], settings.budgets.time_ms(bot.name))
    found = entrants(
        bots,
        lambda bot: settings.budgets.for_bot(bot.name, bot.revision.budgets),
        settings.restart,
    )
    first = _schedule(settings, bots, seed=0).pair(0)
    if settings.confinement.limits != DEFAULT_LIMITS:
        compile_entrants(found.values())  # a start must not be a compilation
        refuse_tight_limits([*found.values()], parse_board(first.board), settings.confinement)
    return found


def _schedule(settings: Settings, bots: Sequence[BotRow], seed: int) -> Schedule:
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


def _hashes(bots: Sequence[BotRow]) -> dict[str, str]:
    return {bot.name: bot.revision.content_hash for bot in bots}


def _interrupted(
    store: Store, lock: RunLock, settings: Settings, bots: Sequence[BotRow]
) -> tuple[RunRow | None, Settings]:
    """Return the newest unfinished run of this identity that no process plays, and its settings.

    The settings are those given, but for the derivation of seeds: that of the run, or of one that
    is being played, so that a new run beside it shares its stream.
    """
    beside = settings
    if settings.continuing is not Continue.NEVER:
        for each in settings.with_older_derivations():
            for run in store.runs.find(identity=identity_hash(each.describe(_hashes(bots)))):
                fits = each.seed is None or run.seed == each.seed
                if fits and is_unfinished(run):
                    if not lock.is_alive(run.id):
                        return run, each
                    beside = each
    return None, beside


def _seed(
    store: Store,
    settings: Settings,
    former: RunRow | None,
    description: Mapping[str, object],
) -> int:
    """The given seed, or that of the run to go on with, or a new one."""
    if settings.seed is not None:
        return settings.seed
    if former is not None:
        return former.seed
    if settings.continuing is not Continue.NEVER:
        for run in store.runs.find(identity=identity_hash(description)):
            return run.seed
    return secrets.randbelow(SEED_LIMIT)


def _take_up(
    store: Store,
    lock: RunLock,
    settings: Settings,
    former: RunRow | None,
    description: Mapping[str, object],
    seed: int,
    question: Mapping[str, object],
) -> RunRow:
    """Return the run to play, locked, marked as running and with `question` among its settings."""
    if former is not None and lock.try_acquire(former.id):
        store.runs.set_status(former.id, RunStatus.RUNNING, target_games=settings.target_games)
        if settings.note:
            store.runs.set_note(former.id, settings.note)
        if question:  # it is no part of the identity, so the user may have changed it
            store.runs.add_settings(former.id, question)
        return store.runs.get(former.id)
    run = create_run(
        store, lock, settings, description, seed, question, target_games=settings.target_games
    )
    # A run that was ended by --hours leaves pairs planned; they come first, so that no number of
    # the stream stays unplayed.
    _adopt_dead(store, lock, run)
    return run


def create_run(
    store: Store,
    lock: RunLock,
    settings: Settings,
    description: Mapping[str, object],
    seed: int,
    question: Mapping[str, object],
    *,
    target_games: int | None,
) -> RunRow:
    """A new run, locked; its openings, its surroundings and `question` are kept with it.

    Args:
        store: of the database.
        lock: of this process.
        settings: of the run.
        description: the settings that are its identity; with the seed, its stream.
        seed: of its pairs.
        question: further settings that are kept, and are no part of its identity.
        target_games: games to play; None without a limit.

    Raises:
        LadderError: another process has locked it.

    """
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
            target_games=target_games,
            note=settings.note,
        )
    )
    if not lock.try_acquire(run.id):
        raise LadderError(f"run {run.id} was just created but is locked by another process")
    return run


def _adopt_dead(store: Store, lock: RunLock, run: RunRow) -> int:
    """Take over the planned pairs of runs of the same stream that nobody plays; how many."""
    dead = [
        other.id
        for other in store.runs.find(stream=run.stream)
        if other.id != run.id and not lock.is_alive(other.id)
    ]
    return store.pairs.adopt(run.id, dead)
