"""A gate in stages: short games first, long ones only for a candidate that the short ones spare.

A regression at any stage is the verdict. A pass, or no decision within a stage's games, leads to
the next one, and the last one decides. So a candidate that is worse by the drop in the long games
passes with alpha at most: it must pass the last stage. An equal one fails with the sum of all
stages' chances, so each of n stages is tested at beta / n (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from db.records.bots import BotRow
from db.records.runs import RunRow
from db.store import Store
from ladder.experiments.engine import Bench, finished_run
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import Gated, entered, gate_of_run, play_gate
from ladder.runs.budgets import Budgets
from ladder.runs.resumable import is_unfinished
from ladder.runs.settings import Settings
from ladder.runs.start import runs_like


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage, as the user wrote it."""

    time_ms: int
    """Wall time a move."""
    games: int
    """The most games of the stage."""


def stage_test(test: GateTest, stage: Stage, stages: int) -> GateTest:
    """The question of one of so many stages."""
    return replace(test, beta=test.beta / stages, max_games=stage.games)


def stage_settings(settings: Settings, stage: Stage) -> Settings:
    """The settings of a stage."""
    budgets = Budgets({"time_ms": stage.time_ms})
    return replace(settings, budgets=budgets, games=stage.games - stage.games % 2)


def play_stages(
    bench: Bench,
    settings: Settings,
    candidate: BotRow,
    baselines: Sequence[BotRow],
    test: GateTest,
    stages: Sequence[Stage],
) -> Gated:
    """Play stage after stage, and return the last one; an interrupted gate is resumed.

    Args:
        bench: where they are played.
        settings: those of the stages, but for budget and games.
        candidate: the bot in question.
        baselines: what it is measured against.
        test: what is asked over all stages.
        stages: the shortest games first.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    bots = entered(candidate, baselines)
    done: list[Gated] = []
    for place, stage in enumerate(stages):
        asked, question = stage_settings(settings, stage), stage_test(test, stage, len(stages))
        former = None
        if place + 1 < len(stages):
            following = stage_settings(settings, stages[place + 1])
            former = _survived(bench.store, asked, following, bots, question)
        if former is not None:
            done.append(gate_of_run(bench.store, asked, candidate, baselines, question, former))
            continue
        gated = play_gate(bench, asked, candidate, baselines, question)
        done.append(gated)
        if gated.stopped or gated.result.verdict in (Verdict.REGRESSION, Verdict.INVALID):
            break
    return replace(done[-1], earlier=tuple(done[:-1]), stages=len(stages))


def _survived(
    store: Store,
    asked: Settings,
    following: Settings,
    bots: Sequence[BotRow],
    question: GateTest,
) -> RunRow | None:
    """Return the finished run of a stage whose next stage is not finished, if there is one."""
    hashes = {bot.name: bot.revision.content_hash for bot in bots}
    latest = finished_run(
        (run for run, _ in islice(runs_like(store, asked, hashes), 1)), question.settings
    )
    if latest is None or latest.verdict not in (Verdict.PASS, Verdict.INCONCLUSIVE):
        return None
    after = next((run for run, _ in runs_like(store, following, hashes)), None)
    is_due = after is None or after.id < latest.id or is_unfinished(after)
    return latest if is_due else None
