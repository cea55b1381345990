"""The course of a tuning: play the missing steps, then gate the tuned bot against the original."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from db.records.bots import BotRow, NewBot
from db.records.results import reference
from db.records.run_settings import TuneSettings
from db.records.runs import RunRow, RunStatus, TuningStepRow
from db.store import Store
from ladder.errors import InvalidRun
from ladder.experiments.engine import (
    INVALID,
    STOPPED,
    UNFINISHED,
    ExperimentContext,
    RunEnd,
    exit_code_of,
)
from ladder.experiments.gate.session import (
    GateOutcome,
    GateTask,
    find_answer,
    gate_of,
    play_gate,
)
from ladder.experiments.kept import result_of
from ladder.experiments.tune.bots import (
    Registration,
    TuningTask,
    gate_note,
    original_of,
    register_winner,
    stored_bot,
    tuned_of,
)
from ladder.experiments.tune.judge import TuningJudge
from ladder.experiments.tune.parameters import ParameterValues, Template, read_parameters
from ladder.experiments.tune.steps import StepPairs
from ladder.registry.entrants import refuse_boards, refuse_short_time
from ladder.registry.specs.start_command import compile_players
from ladder.runs.health import RunHealth
from ladder.runs.history import PastRun, past_runs
from ladder.runs.lineup import Lineup, line_up
from ladder.runs.live import RunEnding, RunWatcher, live_run_of
from ladder.runs.resume import resume_or_create
from ladder.runs.runner import Runner
from ladder.runs.settings import RunSettings
from ladder.runs.start import run_logs
from ladder.signals import current_stop


@dataclass(frozen=True, slots=True)
class TuningOutcome:
    """The outcome of a tuning so far."""

    template: Template
    target_games: int
    """Planned games of the search."""
    conditions: str
    """The label of the division."""
    run: RunRow
    steps: Sequence[TuningStepRow]
    estimate: ParameterValues
    """The present estimate of the search."""
    gated: GateOutcome | None
    """The gate of the tuned bot against the original; None before it begins."""
    kept: Registration | None = None
    """The registration of the tuned bot; None without one, or before the verdict."""
    invalid: str = ""
    """The reason why the steps mean nothing; empty if they are valid."""
    unfinished: str = UNFINISHED[RunStatus.INTERRUPTED]
    """Why there is no gate; empty if there is one."""

    @property
    def games(self) -> int:
        """Finished games of the steps."""
        return sum(step.games for step in self.steps)

    @property
    def forfeits(self) -> int:
        """Forfeited games of the steps."""
        return sum(step.forfeits for step in self.steps)

    @property
    def exit_code(self) -> int:
        """The exit code of the command, which is that of the gate."""
        if self.gated is not None:
            return self.gated.exit_code
        return exit_code_of(INVALID if self.invalid else STOPPED)


@dataclass(frozen=True, slots=True)
class TuningEnd:
    """What the run of a search keeps of its end."""

    gate: int | None
    """The run of the gate; None if there was nothing to gate, or it is not known."""
    kept: Registration | None = None
    """The registration of the tuned bot; None without one."""


def tune(
    context: ExperimentContext,
    task: TuningTask,
    original: BotRow,
    *,
    register: str | None,
    search_watcher: RunWatcher,
) -> TuningOutcome:
    """Play a tuning to its verdict.

    Resumes an interrupted tuning with the same identity, and returns the result of a finished one.

    Args:
        context: The database, watcher and workforce.
        task: The tuning.
        original: The bot before the tuning, from `prepare_original`.
        register: The name for the tuned bot if it wins; None to register none.
        search_watcher: Shows the steps; the watcher of `context` shows the gate.

    """
    store = context.store
    settings = task.run_settings(original.revision.content_hash)
    with current_stop().defer(), contextlib.closing(store.run_lock()) as lock:
        run = resume_or_create(store, lock, settings, {}, task.test.settings, lambda _: True)
        assert run is not None  # noqa: S101 - a tuning is never resumed only
        try:
            return _search_and_gate(context, task, run, original, register, search_watcher)
        finally:
            if store.runs.get(run.id).status is RunStatus.RUNNING:
                store.runs.set_status(run.id, RunStatus.INTERRUPTED)


def _search_and_gate(
    context: ExperimentContext,
    task: TuningTask,
    run: RunRow,
    original: BotRow,
    register: str | None,
    search_watcher: RunWatcher,
) -> TuningOutcome:
    judge, store = TuningJudge(context.store, task, run), context.store
    result = TuningOutcome(
        task.template, task.games, task.conditions, run, judge.steps, judge.search.estimate, None
    )
    if not judge.decided:
        try:
            ending = _search(replace(context, watcher=search_watcher), task, run, original, judge)
        except InvalidRun as error:
            return replace(result, estimate=judge.search.estimate, invalid=str(error))
        result = replace(result, estimate=judge.search.estimate)
        if ending is RunEnding.STOPPED:
            return result
    gated, tuned = _gate(context, task, run, original, result.estimate)
    kept = None
    if not gated.stopped:
        store.runs.set_verdict(run.id, gated.result.verdict.value)
        store.runs.set_status(run.id, RunStatus.FINISHED)
        if register is not None:
            kept = register_winner(store, tuned, gated, register)
        end = TuningEnd(gated.run_id, _as_kept(store, kept))
        store.runs.set_result(run.id, msgspec.to_builtins(end))
    return replace(result, gated=gated, kept=kept)


def _search(
    context: ExperimentContext,
    task: TuningTask,
    run: RunRow,
    original: BotRow,
    judge: TuningJudge,
) -> RunEnding:
    """Play and store the missing steps."""
    store, workforce, settings = context.store, context.workforce, task.side_settings
    pairs = StepPairs(task, judge.search, run.seed, original)
    sides = {side.name: pairs.entrant(task.template.start, side) for side in pairs.sides}
    lineup = Lineup(task.settings, pairs.sides, sides)
    workforce.prepare(lineup)
    live = live_run_of(store, run, settings, sides)
    live.games_before = sum(step.games for step in judge.steps)
    with run_logs(store, run) as logs:
        runner = Runner(
            store=store,
            run=run,
            source=pairs,
            judge=judge,
            health=RunHealth(),
            workers=workforce.start(store, run, lineup, logs),
            live=live,
            watcher=context.watcher,
            target_games=task.games,
        )
        return runner.play().ending


def prepare_original(
    store: Store, task: TuningTask, suited: Callable[[NewBot], RunSettings]
) -> tuple[TuningTask, BotRow]:
    """Check everything that needs no game.

    Args:
        store: The database.
        task: The tuning.
        suited: Returns its settings, on boards that a bot plays.

    Returns:
        The tuning under these settings, and the stored bot before it.

    Raises:
        UsageError: the bot failed its trial, or supports no board or budget.
        SpecError: the specification cannot be read.

    """
    original = original_of(store, task)
    task = replace(task, settings=suited(original))
    budgets = task.settings.budgets
    budgets.of_row(original)
    refuse_boards(original, task.settings.boards)
    refuse_short_time(original, budgets.share_ms(original.name, task.settings.boards))
    compile_players([original.revision.launch])
    return task, stored_bot(store, original)


def _gate(
    context: ExperimentContext,
    task: TuningTask,
    run: RunRow,
    original: BotRow,
    estimate: ParameterValues,
) -> tuple[GateOutcome, BotRow]:
    """Return the gate of the tuned bot against the original, stored or else played."""
    store = context.store
    tuned = tuned_of(store, task, estimate, original, run.id)
    settings = task.gate_settings((tuned.name, original.name), run.seed, run.id)
    gate = GateTask(settings, tuned, [original], task.test)
    if tuned.revision.id == original.revision.id:
        # The tuning changed nothing: a gate would be a bot against itself.
        return gate.decided_by(()), tuned
    answer = find_answer(store, gate)
    if answer is not None:
        return replace(answer, answered_at=None), tuned  # --new of a tuning is a new search
    store.runs.set_status(run.id, RunStatus.RUNNING)
    return play_gate(context, gate, line_up(store, settings, gate.bots)), tuned


def _as_kept(store: Store, kept: Registration | None) -> Registration | None:
    """Return a registration with the reference to the bot that it registered."""
    if kept is None or not kept.is_registered:
        return kept
    return replace(kept, name=reference(store.bots.get(kept.name).revision.id))


def _found_end(store: Store, past: PastRun) -> TuningEnd:
    """Return the end of a tuning that keeps none: the gate that its note names."""
    note = gate_note(past.row.id)
    return TuningEnd(next((run.id for run in store.runs.find() if run.note == note), None))


def tuning_of(store: Store, past: PastRun) -> TuningOutcome | None:
    """Return a stored tuning; None if its search is not stored."""
    run = past.row
    kept = run.settings.tuning if isinstance(run.settings, TuneSettings) else None
    if kept is None:
        return None
    template = Template(kept.spec, read_parameters(kept.parameters))
    steps, end = store.tuning_steps.of_run(run.id), result_of(store, past, TuningEnd, _found_end)
    ended = RunEnd.of(past)
    gates = [each for each in past_runs(store) if end is not None and each.row.id == end.gate]
    return TuningOutcome(
        template,
        kept.games,
        past.division,
        run,
        steps,
        steps[-1].estimate if steps else template.start,
        gate_of(store, gates[0]) if gates else None,
        None if end is None else end.kept,
        invalid=ended.invalid,
        unfinished=ended.unfinished or UNFINISHED[RunStatus.INTERRUPTED],
    )
