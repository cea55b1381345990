"""The judge of a tuning's search: steps are played, stored and resumed as a whole."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from db.records.pairs import PairPlan, PairRecord, PlayedPair
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
from ladder.experiments.tune.steps import StepPairs
from ladder.registry.builtins import sync_builtins
from ladder.runs.budgets import Budgets
from ladder.runs.pair_order import PairOrder
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


class Search(NamedTuple):
    """A judge, and the order in which its pairs are played."""

    judge: TuningJudge
    order: PairOrder


def search_of(store: Store, run: RunRow) -> Search:
    judge = TuningJudge(store, TASK, run)
    pairs = StepPairs(TASK, judge.search, run.seed, store.bots.get("v18"))
    return Search(judge, PairOrder(pairs, judge))


def play(plan: PairPlan) -> PairRecord:
    return random_record(plan, SplitMix(plan.pair.seed))


def finish(search: Search, plan: PairPlan, record: PairRecord | None = None) -> None:
    search.order.finish(plan, PlayedPair.of(plan.pair, record or play(plan)))
    search.order.settle()


def next_plan(search: Search) -> PairPlan:
    plan = search.order.next(None)
    assert plan is not None
    return plan


@pytest.mark.slow
def test_a_step_is_stored_after_its_last_pair(store: Store, run: RunRow) -> None:
    """No pair of the next step begins while one of this step is in play."""
    search = search_of(store, run)
    first, second = next_plan(search), next_plan(search)
    assert (first.pair.number, second.pair.number) == (0, 1)
    assert search.order.next(None) is None
    finish(search, first)
    assert search.order.next(None) is None
    assert store.tuning_steps.of_run(run.id) == []
    finish(search, second)
    (step,) = store.tuning_steps.of_run(run.id)
    assert (step.step, sum(step.pentanomial)) == (1, PAIRS)
    assert search.judge.steps == [step]
    assert next_plan(search).pair.number == PAIRS


def test_a_resumed_search_continues_where_its_steps_end(store: Store, run: RunRow) -> None:
    """The pairs of an interrupted step are played again with the same bots and seeds."""
    search = search_of(store, run)
    for _ in range(3 * PAIRS):
        plan = next_plan(search)
        finish(search, plan)
    interrupted = next_plan(search)
    resumed = search_of(store, run)
    assert resumed.judge.search.estimate == search.judge.search.estimate
    assert next_plan(resumed) == interrupted


def forfeit(search: Search, pairs: int) -> None:
    """Play pairs whose games all end by a crash."""
    for _ in range(pairs):
        plan = next_plan(search)
        record = play(plan)
        games = tuple(
            msgspec.structs.replace(game, result=Result.LOSS, termination=Termination.CRASH)
            for game in record.games
        )
        finish(search, plan, msgspec.structs.replace(record, games=games))


def test_a_bot_that_mostly_forfeits_ends_the_search(store: Store, run: RunRow) -> None:
    """A search over values with which the bot fails means nothing."""
    search = search_of(store, run)
    forfeit(search, FORFEITS_JUDGED // 2 - 1)
    with pytest.raises(InvalidRun, match=f"{FORFEITS_JUDGED} of {FORFEITS_JUDGED} games"):
        forfeit(search, 1)
