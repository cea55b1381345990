"""Running a tuning: play the steps that are missing, then let a gate judge what they came to."""

import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from db.records.bots import BotRow, NewBot
from db.records.runs import RunRow, RunStatus
from db.records.tuning import TuningStepRow
from db.store import RunLock, Store
from engine.seeds import SEED_LIMIT
from ladder.errors import ExitCode, InvalidRun
from ladder.experiments.gate.session import Gated, conditions_of
from ladder.experiments.tune.bots import Kept, keep_winner, original_of
from ladder.experiments.tune.final_gate import judge_tuned
from ladder.experiments.tune.parameters import Setting
from ladder.experiments.tune.search import TuningWatcher, play_search, resumed
from ladder.experiments.tune.task import TuningTask
from ladder.match.registry.registered import refuse_boards, refuse_hurried
from ladder.match.specs.compile import compile_launches
from ladder.match.specs.own_sources import own_sources
from ladder.runs.progress import Watcher
from ladder.runs.settings import Continue, identity_hash
from ladder.runs.start import create_run
from ladder.signals import stops_heeded


@dataclass(frozen=True, slots=True)
class Tuned:
    """The result of a tuning, as far as it went."""

    task: TuningTask
    run: RunRow
    steps: Sequence[TuningStepRow]
    estimate: Setting
    """The values that the search has come to."""
    gated: Gated | None
    """The gate of the tuned bot against the original; None: it has not begun."""
    kept: Kept | None = None
    """The end of ``--register``; None: it was not asked for, or there is no verdict yet."""
    invalid: str = ""
    """Why the steps mean nothing; "" when they do."""

    @property
    def games(self) -> int:
        """Finished games of the steps."""
        return sum(step.games for step in self.steps)

    @property
    def forfeits(self) -> int:
        """Forfeited games of the steps."""
        return sum(step.forfeits for step in self.steps)

    @property
    def conditions(self) -> str:
        """The label of the division."""
        return conditions_of(self.task.settings)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: that of the gate."""
        if self.invalid:
            return ExitCode.INVALID
        return ExitCode.STOPPED if self.gated is None else self.gated.exit_code


def tune(
    *,
    store: Store,
    task: TuningTask,
    register: str | None,
    watcher: TuningWatcher,
    gate_watcher: Watcher,
) -> Tuned:
    """Play a tuning to its verdict; an interrupted one of the same identity is gone on with.

    A finished one is told again: only what is missing is played.

    Args:
        store: the open database.
        task: what was asked for.
        register: the name under which the winner is kept; None: it is not.
        watcher: is told what happens in the steps.
        gate_watcher: is told what happens in the gate.

    Raises:
        UsageError: the bot failed its trial, plays on none of the boards or budgets, or changed.

    """
    own_sources()  # taken before any hash, so that an edit after either is seen
    original = checked(store, task)
    with stops_heeded(), contextlib.closing(store.run_lock()) as lock:
        run, task = _take_up(store, lock, task, original.revision.content_hash)
        try:
            return _tuned(store, task, run, original, register, watcher, gate_watcher)
        finally:
            if store.runs.get(run.id).status is RunStatus.RUNNING:
                store.runs.set_status(run.id, RunStatus.INTERRUPTED)


def _tuned(
    store: Store,
    task: TuningTask,
    run: RunRow,
    original: BotRow | NewBot,
    register: str | None,
    watcher: TuningWatcher,
    gate_watcher: Watcher,
) -> Tuned:
    search, steps = resumed(store, task, run)
    try:
        is_whole = play_search(store, task, run, original, search, steps, watcher)
    except InvalidRun as error:
        store.runs.set_status(run.id, RunStatus.INVALID)
        return Tuned(task, run, steps, search.estimate, None, invalid=str(error))
    if not is_whole:
        return Tuned(task, run, steps, search.estimate, None)
    gated, tuned = judge_tuned(store, task, run, original, search.estimate, gate_watcher)
    kept = None
    if not gated.stopped:
        store.runs.set_verdict(run.id, gated.result.verdict.value)
        store.runs.set_status(run.id, RunStatus.FINISHED)
        if register is not None:
            kept = keep_winner(store, tuned, gated, register)
    return Tuned(task, run, steps, search.estimate, gated, kept)


def checked(store: Store, task: TuningTask) -> BotRow | NewBot:
    """The original, after everything was looked at that can be before a game.

    Raises:
        UsageError: see `tune`.
        SpecError: the specification cannot be read.

    """
    original = original_of(store, task)
    budgets = task.settings.budgets
    budgets.for_bot(original.name, original.revision.budgets)
    refuse_boards([original], task.settings.boards)
    refuse_hurried([original], budgets.amounts.get("time_ms"))
    compile_launches([original.revision.launch])
    return original


def _take_up(
    store: Store,
    lock: RunLock,
    task: TuningTask,
    content_hash: str,
) -> tuple[RunRow, TuningTask]:
    """Return the run of the tuning, locked, and the task with the run's derivation of seeds.

    It is the newest run of its identity that no process plays, or a new one.
    """
    settings = task.settings
    if settings.continuing is not Continue.NEVER:
        for each in settings.with_older_derivations():
            found = replace(task, settings=each)
            for run in store.runs.find(identity=identity_hash(found.describe(content_hash))):
                fits = settings.seed is None or run.seed == settings.seed
                if fits and lock.try_acquire(run.id):
                    if settings.note:
                        store.runs.set_note(run.id, settings.note)
                    store.runs.add_settings(run.id, task.test.settings)
                    return store.runs.get(run.id), found
    seed = secrets.randbelow(SEED_LIMIT) if settings.seed is None else settings.seed
    description = task.describe(content_hash)
    run = create_run(
        store, lock, settings, description, seed, task.test.settings, target_games=task.games
    )
    return run, task
