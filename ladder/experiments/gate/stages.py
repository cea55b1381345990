"""A gate in stages: short games first, long ones only for a candidate that the short ones spare.

A regression at any stage is the verdict. A pass, or no decision within a stage's games, leads to
the next one, and the last one decides. So a candidate that is worse by the drop in the long games
passes with alpha at most: it must pass the last stage. An equal one fails with the sum of all
stages' chances, so each of n stages is tested at beta / n (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from db.records.bots import BotRow
from db.records.runs import RunKind, RunRow, RunStatus
from db.store import Store
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import Gated, conditions_of, entered, judge_of, play_gate
from ladder.runs.budgets import Budgets
from ladder.runs.executor import Workforce
from ladder.runs.progress import Watcher
from ladder.runs.resumable import is_unfinished
from ladder.runs.settings import Settings, identity_hash
from ladder.runs.start import THIS_MACHINE


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
    *,
    store: Store,
    settings: Settings,
    candidate: BotRow,
    baselines: Sequence[BotRow],
    test: GateTest,
    stages: Sequence[Stage],
    watcher: Watcher,
    workforce: Workforce = THIS_MACHINE,
) -> Gated:
    """Play stage after stage, and return the last one; an interrupted gate goes on where it was.

    Args:
        store: the open database.
        settings: those of the stages, but for budget and games.
        candidate: the bot in question.
        baselines: what it is measured against.
        test: what is asked over all stages.
        stages: the shortest games first.
        watcher: is told what happens.
        workforce: plays the pairs.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    bots = entered(candidate, baselines)
    done: list[Gated] = []
    for place, stage in enumerate(stages):
        asked, question = stage_settings(settings, stage), stage_test(test, stage, len(stages))
        following = stages[place + 1] if place + 1 < len(stages) else None
        former = None
        if following is not None:
            former = _survived(store, asked, stage_settings(settings, following), bots, question)
        if former is not None:
            judge = judge_of(candidate, baselines, question)
            for pair in store.pairs.of_run(former.id):
                judge.take(pair)
            done.append(Gated(judge.result(), conditions_of(asked), run_id=former.id))
            continue
        gated = play_gate(
            store=store,
            settings=asked,
            candidate=candidate,
            baselines=baselines,
            test=question,
            watcher=watcher,
            workforce=workforce,
        )
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
    """The finished run of a stage whose next stage is not finished; None: the stage is due."""
    latest = _latest(store, asked, bots)
    if latest is None or latest.status is not RunStatus.FINISHED:
        return None
    if latest.verdict not in (Verdict.PASS, Verdict.INCONCLUSIVE):
        return None
    if GateTest.from_settings(latest.settings) != question:
        return None
    after = _latest(store, following, bots)
    if after is None or after.id < latest.id or is_unfinished(after):
        return latest
    return None


def _latest(store: Store, settings: Settings, bots: Sequence[BotRow]) -> RunRow | None:
    hashes = {bot.name: bot.revision.content_hash for bot in bots}
    for each in settings.with_older_derivations():
        identity = identity_hash(each.describe(hashes))
        for run in store.runs.find(identity=identity, kind=RunKind.GATE):
            if settings.seed is None or run.seed == settings.seed:
                return run
    return None
