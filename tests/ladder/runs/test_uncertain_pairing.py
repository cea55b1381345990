"""Opponents by uncertainty: chosen from finished batches alone."""

from pathlib import Path

import pytest

from bots.protocol import Budget
from db.records.bots import (
    NewBot,
    NewRevision,
)
from db.records.launch import Launch, Start
from db.records.pairs import (
    Entrant,
    PairPlan,
    PlannedPair,
)
from db.records.runs import (
    NewRun,
    RunKind,
)
from db.store import Store
from engine.seeds import SplitMix
from ladder.runs.uncertain_pairing import (
    OpponentChooser,
    PairsPending,
)
from ladder.stats.pool.pair_design import BATCH
from ladder.stats.sequential_elo import rate_pair
from tests.support.data.random_games import random_record
from tests.support.storing import finish_pair

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store.open(str(tmp_path / "games.db"))
    for name in NAMES:
        launch = Launch(command=(name,), folder="/")
        revision = NewRevision(content_hash=name, launch=launch, budgets=("any",))
        opened.bots.add(NewBot(name=name, family="fake", spec=name, revision=revision))
    division = opened.divisions.ensure("4x4", 0, {"simulations": 1})
    opened.runs.create(
        NewRun(
            kind=RunKind.LADDER,
            rated=True,
            stream="s",
            identity="s",
            settings={},
            seed=1,
            division_id=division.id,
        )
    )
    return opened


def advisor(store: Store) -> OpponentChooser:
    names = {bot.revision.id: bot.name for bot in store.bots.all()}
    return OpponentChooser(store=store, stream="s", seed=1, names=names)


def plan(store: Store, count: int) -> list[PlannedPair]:
    revisions = {bot.name: bot.revision.id for bot in store.bots.all()}
    advice = advisor(store)

    def planned(number: int) -> PlannedPair:
        a, b = advice.partners(number)
        return PlannedPair(revisions[a], revisions[b], "4x4", "4x4", (), number)

    return store.pairs.plan(1, count, planned)


def finish(store: Store, rows: list[PlannedPair]) -> None:
    for row in rows:
        start = Start(argv=("x",), folder="/")
        budget = Budget(simulations=1)
        pair = PairPlan(
            id=row.id,
            number=row.number,
            a=Entrant(row.a_revision, "a", start, budget),
            b=Entrant(row.b_revision, "b", start, budget),
            board=row.board,
            board_class=row.board_class,
            opening=(),
            seed=row.seed,
        )
        finish_pair(store, pair, random_record(pair, SplitMix(row.number)), rate_pair)


@pytest.mark.slow
def test_a_batch_waits_for_the_one_before_the_last(store: Store) -> None:
    """Two batches can be planned at once; the third needs the first to be finished, not more."""
    with store:
        rows = plan(store, 2 * BATCH)
        with pytest.raises(PairsPending):
            advisor(store).partners(2 * BATCH)
        finish(store, rows[: BATCH - 1])
        with pytest.raises(PairsPending):
            advisor(store).partners(2 * BATCH)
        finish(store, rows[BATCH - 1 : BATCH])
        assert advisor(store).partners(2 * BATCH)


@pytest.mark.slow
def test_a_plan_depends_on_finished_batches_alone(store: Store) -> None:
    """Later results must not change it, nor which run asks, nor the order of its questions."""
    with store:
        rows = plan(store, 2 * BATCH)
        finish(store, rows[:BATCH])
        numbers = range(2 * BATCH, 3 * BATCH)
        before = [advisor(store).partners(number) for number in numbers]
        finish(store, rows[BATCH:])
        other = advisor(store)
        other.partners(3 * BATCH)  # one that is ahead already
        assert [other.partners(number) for number in reversed(numbers)] == before[::-1]


@pytest.mark.slow
def test_a_dropped_pair_holds_nothing_up(store: Store) -> None:
    """A paused bot's pairs are never finished, and must not stop the rest."""
    with store:
        rows = plan(store, BATCH)
        finish(store, rows[1:])
        store.pairs.drop([rows[0].id])
        assert advisor(store).partners(2 * BATCH)
