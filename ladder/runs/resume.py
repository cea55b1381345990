"""Interrupted runs, and the run to play: the interrupted one of the same identity, or a new one."""

import contextlib
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from db.errors import Unwritable
from db.records.bots import BotRow
from db.records.run_settings import settings_of
from db.records.runs import NewRun, RunKind, RunRow, RunStatus
from db.store import ProcessLocks, Store
from engine.seeds import SEED_LIMIT
from ladder.errors import LadderError
from ladder.harness_version import harness_version
from ladder.runs.settings import ResumePolicy, RunSettings, identity_hash

UNFINISHED = frozenset({RunStatus.INTERRUPTED, RunStatus.RUNNING, RunStatus.INVALID})
"""States of a run that can be resumed if no process plays it."""
MULTI_RUN_COMMANDS = ("bisect", "tune")
"""Commands that play several runs each."""
own_job: ContextVar[int | None] = ContextVar("own_job", default=None)
"""The job of the queue that this process plays; None for none."""


def runs_of_job(store: Store, job_id: int) -> list[RunRow]:
    """Return the runs of a job of the queue, newest first."""
    return [run for run in store.runs.find() if run.settings.job == job_id]


def can_resume(run: RunRow) -> bool:
    """Return whether this process may resume a run that no process plays.

    A command of the queue may be killed after its run has ended and before its result is stored.
    Started again, it finds nothing left to play in that run and prints its result.
    """
    return is_unfinished(run) or (_is_of_job(run) and run.status is RunStatus.FINISHED)


def _is_of_job(run: RunRow) -> bool:
    """Return whether the job of this process, if there is one, has played a run."""
    return own_job.get() is not None and run.settings.job == own_job.get()


def _settings_of_job() -> dict[str, object]:
    """Return the settings that mark a run as played by the job of this process, if there is one."""
    return {} if own_job.get() is None else {"job": own_job.get()}


def hashes_of(bots: Iterable[BotRow]) -> dict[str, str]:
    """Return the content hash of every bot by name."""
    return {bot.name: bot.revision.content_hash for bot in bots}


def runs_like(store: Store, settings: RunSettings, hashes: Mapping[str, str]) -> list[RunRow]:
    """Return the stored runs of the same identity, and seed if one is given, newest first.

    An identity has the names of the run's start, so that of a run whose bots were renamed is
    compared under these.
    """
    found = store.runs.find(identity=identity_hash(settings.identity(hashes)))
    for run in store.runs.find(kind=settings.kind, is_renamed=True):
        then = {now: name for name, now in run.renamed.items()}
        if run.settings.bots.keys() == hashes.keys():
            contents = {then.get(name, name): content for name, content in hashes.items()}
            if identity_hash(settings.renamed(then).identity(contents)) == run.identity:
                found.append(run)
    found.sort(key=lambda run: -run.id)
    return [run for run in found if settings.seed is None or run.seed == settings.seed]


def finished_run(
    store: Store,
    settings: RunSettings,
    hashes: Mapping[str, str],
    is_same: Callable[[RunRow], bool] = lambda _: True,
) -> RunRow | None:
    """Return the newest finished run of the same identity and the given seed.

    The result is None without a seed, under `ResumePolicy.NEVER`, or if a newer run can be
    resumed.

    Args:
        store: The open database.
        settings: The settings.
        hashes: The content hash of every bot by name.
        is_same: Returns whether a run had the same question.

    """
    if settings.seed is None or settings.resume_policy is not ResumePolicy.AUTO:
        return None
    for run in filter(is_same, runs_like(store, settings, hashes)):
        if is_unfinished(run):
            return None
        if run.status is RunStatus.FINISHED:
            return run
    return None


def resume_or_create(
    store: Store,
    lock: ProcessLocks,
    settings: RunSettings,
    hashes: Mapping[str, str],
    question: Mapping[str, object],
    is_open: Callable[[RunRow], bool] = can_resume,
) -> RunRow | None:
    """Lock and return the run to play.

    It is the newest open run of the identity that no process plays, else a new one; under
    `ResumePolicy.ONLY` there is no new one, and the result is None. Under `ResumePolicy.NEVER` only
    a job of the queue resumes a run: its own, because it is started again after a kill.

    Args:
        store: The open database.
        lock: The run lock of this process.
        settings: The settings.
        hashes: The content hash of every bot by name.
        question: Fields of stored settings that are no part of the run's identity.
        is_open: Returns whether a stored run can be resumed.

    Raises:
        LadderError: another process has locked a run that was just created.

    """
    for former in runs_like(store, settings, hashes):
        if settings.resume_policy is ResumePolicy.NEVER and not _is_of_job(former):
            continue
        if is_open(former) and lock.try_acquire(former.id):
            if is_unfinished(former):
                store.runs.set_status(
                    former.id, RunStatus.RUNNING, target_games=settings.target_games
                )
            if settings.note:
                store.runs.set_note(former.id, settings.note)
            store.runs.change_settings(
                former.id, **settings.command_settings, **question, **_settings_of_job()
            )
            return store.runs.get(former.id)
    if settings.resume_policy is ResumePolicy.ONLY:
        return None
    run = _create_run(store, lock, settings, hashes, question)
    # A run that ended by its time limit leaves pairs planned. They are played first, so that no
    # number of the stream stays unplayed.
    adopt_orphaned_pairs(store, lock, run)
    return run


def _choose_seed(store: Store, settings: RunSettings, identity: Mapping[str, object]) -> int:
    """Return the given seed, else that of the newest run of the identity, else a random one."""
    if settings.seed is not None:
        return settings.seed
    if settings.bots and settings.resume_policy is not ResumePolicy.NEVER:
        for run in store.runs.find(identity=identity_hash(identity)):
            return run.seed
    return secrets.randbelow(SEED_LIMIT)


def _create_run(
    store: Store,
    lock: ProcessLocks,
    settings: RunSettings,
    hashes: Mapping[str, str],
    question: Mapping[str, object],
) -> RunRow:
    """Store and lock a new run."""
    identity = settings.identity(hashes)
    seed = _choose_seed(store, settings, identity)
    if settings.openings is not None:
        store.opening_sets.save(settings.openings.row)
    run = store.runs.create(
        NewRun(
            kind=settings.kind,
            rated=settings.rated,
            stream=identity_hash(identity, seed),
            identity=identity_hash(identity),
            settings=settings_of(
                settings.kind,
                {
                    **identity,
                    **settings.other_settings(),
                    **question,
                    "harness": harness_version(),
                    **_settings_of_job(),
                },
            ),
            seed=seed,
            division_id=store.divisions.ensure(settings.division()).id,
            target_games=settings.target_games,
            note=settings.note,
        )
    )
    if not lock.try_acquire(run.id):
        raise LadderError(f"run {run.id} was just created but is locked by another process")
    return run


def adopt_orphaned_pairs(store: Store, lock: ProcessLocks, run: RunRow) -> int:
    """Take over the planned pairs of dead runs of the same stream; return their number."""
    orphaned = [
        other.id
        for other in store.runs.find(stream=run.stream, renamed=run.renamed)
        if other.id != run.id and not lock.is_alive(other.id)
    ]
    return store.pairs.reassign(run.id, orphaned)


def is_unfinished(run: RunRow) -> bool:
    """Return whether a run that no process plays can be resumed.

    An invalid gate or selection cannot: its games would make the resumed one invalid, too.
    """
    return run.status in UNFINISHED and not (
        run.kind in (RunKind.GATE, RunKind.SELECT) and run.status is RunStatus.INVALID
    )


@dataclass(frozen=True, slots=True)
class Resumable:
    """A run, or a bisection or tuning of several runs, that a command can resume."""

    run_id: int
    games: int
    """Finished games."""
    options: Mapping[str, object]
    """The command that resumes it, and its options, as `ladder.cli.resume` stores them."""


def resumable_runs(store: Store) -> list[Resumable]:
    """Return the interrupted runs that a command can resume, newest first.

    A command that plays several runs is listed once, with the first of them.
    """
    hashes = {bot.name: bot.revision.content_hash for bot in store.bots.all()}
    counts = {**store.games.count_by_run(), **store.tuning_steps.games_by_run()}
    runs = [run for run in store.runs.find() if is_unfinished(run)]
    dead = find_dead(store.run_lock, [run.id for run in runs])
    found: dict[str, Resumable] = {}
    for run in runs:
        options = options_of(run)
        if options is None or run.id not in dead:
            continue
        is_part = options["command"] in MULTI_RUN_COMMANDS
        if not is_part and not run.settings.bots.items() <= hashes.items():
            continue
        key = repr(sorted(options.items())) if is_part else str(run.id)
        games = counts.get(run.id, 0) + (found[key].games if key in found else 0)
        found[key] = Resumable(run.id, games, options)
    return list(found.values())


def options_of(run: RunRow) -> dict[str, Any] | None:
    """Return the command of a run and its options; None if they are not stored."""
    options = run.settings.options
    if not options:
        return None
    if options.get("seed") is None:
        return {**options, "seed": run.seed}
    return dict(options)


def find_dead(open_locks: Callable[[], ProcessLocks], numbers: Collection[int]) -> set[int]:
    """Return those that no living process plays; empty in a read-only folder, which has no locks.

    Args:
        open_locks: Opens the locks of runs, or of services.
        numbers: The numbers of runs or services in play.

    """
    if not numbers:
        return set()
    with contextlib.suppress(Unwritable), contextlib.closing(open_locks()) as locks:
        return {number for number in numbers if not locks.is_alive(number)}
    return set()
