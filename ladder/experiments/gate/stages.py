"""A gate in stages: short games first, long ones only for a candidate that the short ones spare.

A regression at any stage is the verdict. A pass, or no decision within a stage's games, leads to
the next one, and the last one decides. So a candidate that is worse by the drop in the long games
passes with alpha at most: it must pass the last stage. An equal one fails with the sum of all
stages' chances, so each of n stages is tested at beta / n (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from db.records.runs import RunRow
from db.store import Store
from ladder.experiments.engine import ExperimentContext, finished_run
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import GateOutcome, GateTask, play_gate
from ladder.runs.budgets import Budgets
from ladder.runs.resumable import is_unfinished
from ladder.runs.start import hashes_of, runs_like


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, as the user wrote it."""

    time_ms: int
    """Wall time a move."""
    games: int
    """The most games of the stage."""


def stage_tasks(task: GateTask, stages: Sequence[Stage]) -> list[GateTask]:
    """Return the gate of each stage; without stages the gate itself.

    Args:
        task: what is asked over all stages; budget and games are those of each stage.
        stages: the shortest games first.

    """
    tasks = [
        replace(
            task,
            settings=replace(
                task.settings,
                budgets=Budgets({"time_ms": stage.time_ms}),
                games=stage.games - stage.games % 2,
            ),
            test=replace(task.test, beta=task.test.beta / len(stages), max_games=stage.games),
        )
        for stage in stages
    ]
    return tasks or [task]


def play_stages(bench: ExperimentContext, tasks: Sequence[GateTask]) -> GateOutcome:
    """Play stage after stage, and return the last one; an interrupted gate is resumed.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    done: list[GateOutcome] = []
    for task, following in zip_longest(tasks, tasks[1:]):
        former = None if following is None else _survived(bench.store, task, following)
        if former is not None:
            done.append(task.decided_by(bench.store.pairs.of_run(former.id), former.id))
            continue
        done.append(play_gate(bench, task))
        if done[-1].stopped or done[-1].result.verdict in (Verdict.REGRESSION, Verdict.INVALID):
            break
    return replace(done[-1], earlier=tuple(done[:-1]), stages=len(tasks))


def _survived(store: Store, task: GateTask, following: GateTask) -> RunRow | None:
    """Return the finished run of a stage whose next stage is not finished, if there is one."""
    hashes = hashes_of(task.bots)
    newest = islice(runs_like(store, task.settings, hashes), 1)
    latest = finished_run((run for run, _ in newest), task.test.settings)
    if latest is None or latest.verdict not in (Verdict.PASS, Verdict.INCONCLUSIVE):
        return None
    after = next((run for run, _ in runs_like(store, following.settings, hashes)), None)
    is_due = after is None or after.id < latest.id or is_unfinished(after)
    return latest if is_due else None
