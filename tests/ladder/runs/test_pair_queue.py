"""The queue of a run's pairs: planned before they are played, in the order of their numbers."""

from dataclasses import replace
from functools import partial

import pytest

from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from engine.seeds import SplitMix
from ladder.errors import InvalidRun
from ladder.runs.choosers import Fixture, read_results
from ladder.runs.decision import ENDLESS, Judge
from ladder.runs.health import STARTS_BEFORE_PAUSE, RunHealth
from ladder.runs.live import LiveBot
from ladder.runs.pair_queue import PLAN_BATCH, PairQueue
from ladder.runs.pairings import PAIRINGS, RANDOM, Pairing, PairingRule
from ladder.runs.schedule import Schedule
from ladder.runs.start import check_possible
from tests.ladder.runs.conftest import FIVE, SETTINGS
from tests.support.data.random_games import random_record
from tests.support.storing import create_run

THREE = ("flat-mc", *SETTINGS.bots)


class Picky(Judge):
    """A judge that wants the pairs of even numbers."""

    def wants(self, plan: PairPlan) -> bool:
        return plan.number % 2 == 0


@pytest.fixture
def run(store: Store) -> RunRow:
    return create_run(store, SETTINGS)


def queue_of(
    store: Store,
    run: RunRow,
    judge: Judge = ENDLESS,
    names: tuple[str, ...] = SETTINGS.bots,
    rule: PairingRule = RANDOM,
) -> PairQueue:
    bots = [store.bots.get(name) for name in names]
    settings = replace(
        SETTINGS, bots=names, pairing=Pairing(rule, names[0] if rule.takes_bot else None)
    )
    schedule = Schedule(settings, bots, run.seed, partial(read_results, store, run.stream))
    return PairQueue(
        store=store,
        run=run,
        schedule=schedule,
        entrants=check_possible(store, settings, bots),
        health=RunHealth({name: LiveBot(name) for name in names}, schedule.possible_meetings),
        judge=judge,
    )


def pause_bot(queue: PairQueue, bot: Entrant) -> None:
    """Let a bot fail to start until it is paused."""
    plan = PairPlan(1, 0, bot, bot, "4x4", "4x4", (), 1)
    record = PairRecord(1, 0, (), failed_starts=(bot.revision,) * STARTS_BEFORE_PAUSE)
    assert "is paused" in next(queue.health.observe(plan, record))


def pause(queue: PairQueue, plan: PairPlan) -> str:
    """Pause the first bot of a pair, because it cannot be started; return its name."""
    pause_bot(queue, plan.a)
    return plan.a.name


def next_plan(queue: PairQueue, wanted: int | None = None) -> PairPlan:
    plan = queue.next_pair(wanted=wanted, in_play=0)
    assert plan is not None
    return plan


def planned(store: Store, run: RunRow) -> list[int]:
    return [pair.number for pair in store.pairs.planned(run.id)]


def finish(queue: PairQueue, plan: PairPlan) -> None:
    queue.finish([(plan, random_record(plan, SplitMix(plan.seed)))])


@pytest.mark.parametrize(("wanted", "count"), [(3, 3), (1000, PLAN_BATCH), (None, PLAN_BATCH)])
def test_pairs_are_stored_before_they_are_played(
    store: Store, run: RunRow, wanted: int | None, count: int
) -> None:
    """No more are planned than wanted, and at most a batch at a time."""
    assert next_plan(queue_of(store, run), wanted).number == 0
    assert planned(store, run) == list(range(count))


@pytest.mark.slow
def test_a_pair_that_is_not_wanted_is_dropped_once_earlier_ones_are_finished(
    store: Store, run: RunRow
) -> None:
    """Before, it is deferred: an earlier pair may change what the judge wants."""
    queue = queue_of(store, run, Picky())
    first, third = next_plan(queue, 3), next_plan(queue)
    assert (first.number, third.number) == (0, 2)
    assert not queue.settle_deferred([0, 2])
    assert planned(store, run) == [0, 1, 2]
    finish(queue, first)
    assert queue.settle_deferred([2])
    assert not queue.settle_deferred([2])
    assert planned(store, run) == [2]


def test_the_queue_outlives_a_rule_that_only_plans_pairs_of_a_paused_bot(
    store: Store, run: RunRow
) -> None:
    """The next pairs are drawn from the other bots; a run must not plan for ever."""
    stubborn = PairingRule("stubborn", "", lambda _: lambda _: Fixture("random", "stupid"))
    queue = queue_of(store, run, names=THREE, rule=stubborn)
    paused = pause(queue, next_plan(queue, 1))
    assert paused == "random"
    plans = [next_plan(queue, 1) for _ in range(3)]
    assert {frozenset((plan.a.name, plan.b.name)) for plan in plans} == {
        frozenset(("flat-mc", "stupid"))
    }
    assert planned(store, run)[1:] == [plan.number for plan in plans]


@pytest.mark.slow
@pytest.mark.parametrize("rule", PAIRINGS.values(), ids=list(PAIRINGS))
def test_every_rule_plays_on_with_two_bots_and_ends_with_one(
    store: Store, run: RunRow, rule: PairingRule
) -> None:
    """Numbers ascend, both bots meet in every pair, and a gauntlet keeps its bot."""
    queue = queue_of(store, run, names=FIVE, rule=rule)
    bots = queue.health.playable
    for name in bots[2:]:
        pause_bot(queue, queue.entrants[name])
    numbers = []
    for _ in range(6):
        plan = next_plan(queue, 5)
        assert {plan.a.name, plan.b.name} == set(bots[:2])
        numbers.append(plan.number)
        finish(queue, plan)
    assert numbers == sorted(set(numbers))
    pause_bot(queue, queue.entrants[bots[1]])
    with pytest.raises(InvalidRun, match="too few bots can play"):
        queue.next_pair(wanted=3, in_play=0)
