"""The judge of a tuning's search: steps are played, stored and resumed as a whole."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from db.records.pairs import PairPlan, PairRecord
from db.records.runs import RunKind, RunRow
from db.store import Store
from engine.board_class import parse_board_classes
from engine.result import Result, Termination
from engine.seeds import SplitMix
from ladder.errors import InvalidRun
from ladder.experiments.gate.question import GateTest
from ladder.experiments.tune.bots import TuningTask
from ladder.experiments.tune.judge import FORFEITS_JUDGED, TuningJudge
from ladder.experiments.tune.parameters import template_of
from ladder.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.decision import played_pair
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.settings import RunSettings
from tests.support.data.random_games import random_record
from tests.support.storing import create_run
from tests.support.unconfined import UNCONFINED

PAIRS, STEPS = 2, 12
TASK = TuningTask(
    template=template_of("builtin:v18", ["c=0.2..1.2"]),
    settings=RunSettings(
        bots=(),
        boards=parse_board_classes("4x4"),
        budgets=Budgets({"simulations": 1}),
        pairing=Pairing(RANDOM),
        games=2 * PAIRS * STEPS,
        confinement=UNCONFINED,
        kind=RunKind.TUNE,
        rated=False,
    ),
    pairs=PAIRS,
    test=GateTest(),
    folder=Path(),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "ladder.db")) as opened:
        sync_builtins(opened)
        yield opened


@pytest.fixture
def run(store: Store) -> RunRow:
    return create_run(store, TASK.settings)


def judge_of(store: Store, run: RunRow) -> TuningJudge:
    return TuningJudge(store, TASK, run, store.bots.get("v18"))


def play(plan: PairPlan) -> PairRecord:
    return random_record(plan, SplitMix(plan.seed))


def finish(judge: TuningJudge, plan: PairPlan, record: PairRecord | None = None) -> None:
    judge.take(played_pair(plan, record or play(plan)))


def next_plan(judge: TuningJudge) -> PairPlan:
    plan = judge.next_pair(wanted=None, in_play=0)
    assert plan is not None
    return plan


@pytest.mark.slow
def test_a_step_is_stored_after_its_last_pair(store: Store, run: RunRow) -> None:
    """No pair of the next step begins while one of this step is in play."""
    judge = judge_of(store, run)
    first, second = next_plan(judge), next_plan(judge)
    assert (first.number, second.number) == (0, 1)
    assert judge.next_pair(wanted=None, in_play=2) is None
    finish(judge, first)
    assert judge.next_pair(wanted=None, in_play=1) is None
    assert store.tuning_steps.of_run(run.id) == []
    finish(judge, second)
    (step,) = store.tuning_steps.of_run(run.id)
    assert (step.step, sum(step.pentanomial)) == (1, PAIRS)
    assert judge.steps == [step]
    assert next_plan(judge).number == PAIRS


def test_a_resumed_search_continues_where_its_steps_end(store: Store, run: RunRow) -> None:
    """The pairs of an interrupted step are played again with the same bots and seeds."""
    judge = judge_of(store, run)
    for _ in range(3 * PAIRS):
        plan = next_plan(judge)
        finish(judge, plan)
    interrupted = next_plan(judge)
    resumed = judge_of(store, run)
    assert resumed.search.estimate == judge.search.estimate
    assert next_plan(resumed) == interrupted


def forfeit(judge: TuningJudge, pairs: int) -> None:
    """Play pairs whose games all end by a crash."""
    for _ in range(pairs):
        plan = next_plan(judge)
        record = play(plan)
        games = tuple(
            msgspec.structs.replace(game, result=Result.LOSS, termination=Termination.CRASH)
            for game in record.games
        )
        finish(judge, plan, msgspec.structs.replace(record, games=games))


def test_a_bot_that_mostly_forfeits_ends_the_search(store: Store, run: RunRow) -> None:
    """A search over values with which the bot fails means nothing."""
    judge = judge_of(store, run)
    forfeit(judge, FORFEITS_JUDGED // 2 - 1)
    with pytest.raises(InvalidRun, match=f"{FORFEITS_JUDGED} of {FORFEITS_JUDGED} games"):
        forfeit(judge, 1)
