"""A gate in stages: short games first, and long ones only if the candidate passes the short ones.

A regression at any stage is the verdict. A pass, or no decision within a stage's games, leads to
the next stage, and the last one decides. A worse candidate passes with a chance of at most alpha,
because it must pass the last stage. An equal one may fail at any stage, so each of n stages is
tested at beta / n (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from db.records.runs import RunRow
from db.store import Store
from ladder.experiments.engine import ExperimentContext
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import GateOutcome, GateTask, play_gate
from ladder.runs.budgets import Budgets
from ladder.runs.resume import can_resume, hashes_of, runs_like


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a gate."""

    time_ms: int
    """Wall time per move."""
    games: int
    """Most games of the stage."""

    @property
    def budgets(self) -> Budgets:
        """The budgets of the stage."""
        return Budgets({"time_ms": self.time_ms})

    def test(self, whole: GateTest, stages: "Sequence[Stage]") -> GateTest:
        """Return the test of this one of the stages of a gate."""
        return replace(whole, beta=whole.beta / len(stages), max_games=self.games)


def stage_tasks(task: GateTask, stages: Sequence[Stage]) -> list[GateTask]:
    """Return the gate of each stage; without stages the gate itself.

    Args:
        task: The gate over all stages; its budget and games are replaced by those of each stage.
        stages: The stages, the shortest games first.

    """
    tasks = [
        replace(
            task,
            settings=replace(
                task.settings,
                budgets=stage.budgets,
                games=stage.games - stage.games % 2,
            ),
            test=stage.test(task.test, stages),
        )
        for stage in stages
    ]
    return tasks or [task]


def play_stages(context: ExperimentContext, tasks: Sequence[GateTask]) -> GateOutcome:
    """Play the stages in order, and return the last one; an interrupted gate is resumed.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    done: list[GateOutcome] = []
    for task, following in zip_longest(tasks, tasks[1:]):
        former = None if following is None else _find_passed(context.store, task, following)
        if former is not None:
            passed, run = former
            done.append(passed.decided_by(context.store.pairs.of_run(run.id), run.id))
            continue
        done.append(play_gate(context, task))
        if done[-1].stopped or done[-1].result.verdict in (Verdict.REGRESSION, Verdict.INVALID):
            break
    return replace(done[-1], earlier=tuple(done[:-1]), stages=len(tasks))


def _find_passed(
    store: Store, task: GateTask, following: GateTask
) -> tuple[GateTask, RunRow] | None:
    """Return a stage finished without a regression, and its run, if its next stage is due."""
    latest = _newest_run(store, task)
    finished = None if latest is None else task.finished_in(latest)
    if latest is None or finished is None:
        return None
    if latest.verdict not in (Verdict.PASS, Verdict.INCONCLUSIVE):
        return None
    after = _newest_run(store, following)
    is_due = after is None or after.id < latest.id or can_resume(after)
    return (finished, latest) if is_due else None


def _newest_run(store: Store, task: GateTask) -> RunRow | None:
    return next(iter(runs_like(store, task.settings, hashes_of(task.bots))), None)
