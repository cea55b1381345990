"""The stored pairs of a run: planned before they are played, of bots that can play."""

from dataclasses import replace
from functools import partial

import pytest

from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair
from db.records.runs import RunRow
from db.store import Store
from engine.seeds import SplitMix
from ladder.errors import InvalidRun
from ladder.runs.choosers import Fixture, read_results
from ladder.runs.health import STARTS_BEFORE_PAUSE, RunHealth
from ladder.runs.lineup import line_up
from ladder.runs.pairings import PAIRINGS, RANDOM, Pairing, PairingRule
from ladder.runs.schedule import Schedule
from ladder.runs.stored_pairs import PLAN_BATCH, StoredPairs
from tests.ladder.runs.conftest import FIVE, SETTINGS
from tests.support.data.random_games import random_record
from tests.support.storing import create_run

THREE = ("flat-mc", *SETTINGS.bots)


@pytest.fixture
def run(store: Store) -> RunRow:
    return create_run(store, SETTINGS)


def pairs_of(
    store: Store,
    run: RunRow,
    names: tuple[str, ...] = SETTINGS.bots,
    rule: PairingRule = RANDOM,
) -> StoredPairs:
    bots = [store.bots.get(name) for name in names]
    settings = replace(
        SETTINGS, bots=names, pairing=Pairing(rule, names[0] if rule.takes_bot else None)
    )
    schedule = Schedule(settings, bots, run.seed, partial(read_results, store, run.stream))
    return StoredPairs(
        store=store,
        run=run,
        schedule=schedule,
        entrants=line_up(store, settings, bots).sides,
        health=RunHealth(names, schedule.possible_meetings),
    )


def pause_bot(pairs: StoredPairs, bot: Entrant) -> None:
    """Let a bot fail to start until it is paused."""
    plan = PairPlan(PlannedPair(bot.revision, bot.revision, "4x4", "4x4", (), 1), bot, bot)
    record = PairRecord(1, 0, (), failed_starts=(bot.revision,) * STARTS_BEFORE_PAUSE)
    assert "is paused" in next(pairs.health.observe(plan, record))


def pause(pairs: StoredPairs, plan: PairPlan) -> str:
    """Pause the first bot of a pair, because it cannot be started; return its name."""
    pause_bot(pairs, plan.a)
    return plan.a.name


def next_plan(pairs: StoredPairs) -> PairPlan:
    (plan,) = pairs.draw(1, is_idle=True)
    return plan


def planned(store: Store, run: RunRow) -> list[int]:
    return [pair.number for pair in store.pairs.planned(run.id)]


def finish(pairs: StoredPairs, plan: PairPlan) -> None:
    pairs.finish([(plan, random_record(plan, SplitMix(plan.pair.seed)))])


@pytest.mark.parametrize(("wanted", "count"), [(3, 3), (1000, PLAN_BATCH), (None, PLAN_BATCH)])
def test_pairs_are_stored_before_they_are_played(
    store: Store, run: RunRow, wanted: int | None, count: int
) -> None:
    """No more are planned than wanted, and at most a batch at a time."""
    plans = pairs_of(store, run).draw(wanted, is_idle=True)
    assert [plan.pair.number for plan in plans] == planned(store, run) == list(range(count))


def test_a_run_outlives_a_rule_that_only_plans_pairs_of_a_paused_bot(
    store: Store, run: RunRow
) -> None:
    """The next pairs are drawn from the other bots; a run must not plan for ever."""
    stubborn = PairingRule("stubborn", "", lambda _: lambda _: Fixture("random", "stupid"))
    pairs = pairs_of(store, run, names=THREE, rule=stubborn)
    paused = pause(pairs, next_plan(pairs))
    assert paused == "random"
    plans = [next_plan(pairs) for _ in range(3)]
    assert {frozenset((plan.a.name, plan.b.name)) for plan in plans} == {
        frozenset(("flat-mc", "stupid"))
    }
    assert planned(store, run)[1:] == [plan.pair.number for plan in plans]


@pytest.mark.slow
@pytest.mark.parametrize("rule", PAIRINGS.values(), ids=list(PAIRINGS))
def test_every_rule_plays_on_with_two_bots_and_ends_with_one(
    store: Store, run: RunRow, rule: PairingRule
) -> None:
    """Numbers ascend, both bots meet in every pair, and a gauntlet keeps its bot."""
    pairs = pairs_of(store, run, names=FIVE, rule=rule)
    bots = pairs.health.playable
    for name in bots[2:]:
        pause_bot(pairs, pairs.entrants[name])
    numbers = []
    for _ in range(6):
        plan = next_plan(pairs)
        assert {plan.a.name, plan.b.name} == set(bots[:2])
        numbers.append(plan.pair.number)
        finish(pairs, plan)
    assert numbers == sorted(set(numbers))
    pause_bot(pairs, pairs.entrants[bots[1]])
    with pytest.raises(InvalidRun, match="too few bots can play"):
        pairs.draw(3, is_idle=True)
