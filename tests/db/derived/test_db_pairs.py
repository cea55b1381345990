"""Planning and storing pairs: nothing is lost or stored twice, and counts agree."""

from pathlib import Path
from random import Random
from typing import cast

import msgspec
import pytest
from sqlalchemy.exc import SQLAlchemyError

from db.errors import UnknownRow
from db.outcomes import OUTCOME
from db.records.measures import LONGEST, MOVES, SEARCHED, SIMULATIONS, TIME
from db.records.pairs import PairRecord, PlannedPair, pair_content
from db.store import Store
from engine.result import FORFEITS, Result, Termination
from tests.db.making import add_bots, maker, new_run, play_all, played, to_plan
from tests.support.sql import execute_sql
from tests.support.storing import finish_pair


@pytest.mark.slow
def test_plan_takes_numbers_once(store: Store) -> None:
    """Runs of one stream share its numbers; another stream begins at 0."""
    revisions = add_bots(store)
    one, two, other = new_run(store), new_run(store), new_run(store, stream="s2")
    assert [row.number for row in store.pairs.plan(one.id, 3, maker(revisions))] == [0, 1, 2]
    assert [row.number for row in store.pairs.plan(two.id, 2, maker(revisions))] == [3, 4]
    assert [row.number for row in store.pairs.plan(other.id, 1, maker(revisions))] == [0]
    assert [row.number for row in store.pairs.planned(one.id)] == [0, 1, 2]
    assert store.pairs.plan(one.id, 0, maker(revisions)) == []


def test_self_pair_cannot_be_rated(store: Store) -> None:
    """A bot against itself is planned and stored in unrated runs only."""
    (a,) = add_bots(store, 1)
    pair = PlannedPair(a, a, "6x7", "6x7", (), 1)
    with pytest.raises(ValueError, match="itself"):
        store.pairs.plan(new_run(store).id, 1, lambda _: pair)
    run = new_run(store, rated=False, stream="control")
    (row,) = store.pairs.plan(run.id, 1, lambda _: pair)
    record = played(row, Random(1))
    assert finish_pair(store, to_plan(row), record)
    (table,) = store.aggregate.of_run(run.id)
    assert (table.a_revision, table.b_revision, table.record.pairs) == (a, a, 1)
    assert table.a.sums[MOVES] == record.games[0].sides[0].moves + record.games[1].sides[1].moves


def test_finish_pair_twice_stores_it_once(store: Store) -> None:
    """Storing a pair again, or an unknown pair, stores nothing, as the outcome shows."""
    revisions, run = add_bots(store), new_run(store)
    (row,) = store.pairs.plan(run.id, 1, maker(revisions))
    record = played(row, Random(1))
    first = finish_pair(store, to_plan(row), record)
    assert len(first or ()) == 2
    tables = store.aggregate.of_division(run.division_id)
    assert finish_pair(store, to_plan(row), record) == first  # after a lost answer to the commit
    assert finish_pair(store, to_plan(row), played(row, Random(2))) is None
    assert store.games.count(run.id) == 2
    assert store.aggregate.of_division(run.division_id) == tables
    plan = to_plan(row)
    stranger = msgspec.structs.replace(plan, pair=plan.pair._replace(id=999))
    lost = msgspec.structs.replace(record, id=999)
    assert finish_pair(store, stranger, lost) is None


def test_dropped_pair_is_not_stored(store: Store) -> None:
    """A dropped pair cannot be finished or dropped again."""
    revisions, run = add_bots(store), new_run(store)
    one, two = store.pairs.plan(run.id, 2, maker(revisions))
    assert store.pairs.drop([one.id]) == 1
    assert store.pairs.drop([one.id]) == 0
    assert finish_pair(store, to_plan(one), played(one, Random(1))) is None
    assert store.pairs.planned(run.id) == [two]


@pytest.mark.slow
def test_aborted_record_is_refused_and_the_pair_stays_planned(store: Store) -> None:
    """A record without two games is refused; its stalls can be added."""
    revisions, run = add_bots(store), new_run(store)
    (row,) = store.pairs.plan(run.id, 1, maker(revisions))
    with pytest.raises(ValueError, match="two games"):
        finish_pair(store, to_plan(row), PairRecord(row.id, row.number, (), 3, "stalled"))
    record = played(row, Random(1))
    halted = msgspec.structs.replace(record.games[1], termination=Termination.ABORTED)
    half = msgspec.structs.replace(record, games=(record.games[0], halted))
    with pytest.raises(ValueError, match="aborted"):
        finish_pair(store, to_plan(row), half)
    assert list(store.games.stream()) == []
    store.pairs.add_stalls(row.id, 3)
    assert store.pairs.planned(run.id) == [row]
    assert store.games.count_stalls(run_id=run.id) == {run.id: 3}


@pytest.mark.slow
def test_pairs_that_share_a_transaction_are_stored_as_one_by_one(tmp_path: Path) -> None:
    """Games, counts and answers are equal, also with a pair that is not planned."""
    seen = []
    for together in (False, True):
        with Store.open(str(tmp_path / f"{together}.db")) as store:
            revisions, run = add_bots(store), new_run(store)
            rows = store.pairs.plan(run.id, 6, maker(revisions))
            store.pairs.drop([rows[3].id])
            done = [(to_plan(row), played(row, Random(row.number))) for row in rows]
            if together:
                answers = store.pairs.finish_all(done)
            else:
                answers = [finish_pair(store, plan, record) for plan, record in done]
            seen.append(
                (
                    answers,
                    list(store.games.stream()),
                    store.aggregate.of_division(run.division_id),
                )
            )
    assert seen[0] == seen[1]
    assert [answer is not None for answer in seen[1][0]] == [True] * 3 + [False] + [True] * 2


@pytest.mark.slow
def test_a_pair_that_cannot_be_stored_undoes_its_transaction(store: Store) -> None:
    """The pairs of the same transaction stay planned and can be stored."""
    revisions, run = add_bots(store), new_run(store)
    rows = store.pairs.plan(run.id, 3, maker(revisions))
    done = [(to_plan(row), played(row, Random(row.number))) for row in rows]
    broken = msgspec.structs.replace(done[2][1].games[1], detail=cast("str", object()))
    record = msgspec.structs.replace(done[2][1], games=(done[2][1].games[0], broken))
    with pytest.raises(SQLAlchemyError):
        store.pairs.finish_all([*done[:2], (done[2][0], record)])
    assert store.pairs.planned(run.id) == rows
    assert list(store.games.stream()) == []
    assert all(store.pairs.finish_all(done))
    assert store.pairs.finish_all([]) == []


@pytest.mark.slow
def test_reassign_moves_planned_pairs_of_dead_runs(store: Store) -> None:
    """Planned pairs of the same stream move to the new run; finished and other ones stay."""
    revisions = add_bots(store)
    dead, foreign, fresh = new_run(store), new_run(store, stream="s2"), new_run(store)
    rows = store.pairs.plan(dead.id, 3, maker(revisions))
    store.pairs.plan(foreign.id, 1, maker(revisions))
    finish_pair(store, to_plan(rows[0]), played(rows[0], Random(1)))
    assert store.pairs.reassign(fresh.id, [dead.id, foreign.id, fresh.id]) == 2
    assert [row.number for row in store.pairs.planned(fresh.id)] == [1, 2]
    assert store.pairs.planned(dead.id) == []
    assert len(store.pairs.planned(foreign.id)) == 1
    assert store.games.count(dead.id) == 2
    with pytest.raises(UnknownRow):
        store.pairs.reassign(999, [dead.id])


@pytest.mark.slow
def test_counts_are_read_once_and_added_to(place: str) -> None:
    """A store that follows others has the counts of one that reads everything, after deletions."""
    random = Random(5)
    with Store.open(place) as store, Store.open(place) as other:
        revisions = add_bots(store)
        runs = [new_run(store, rated=rated, stream=f"{rated}") for rated in (True, True, False)]
        division = runs[0].division_id
        for step in range(8):
            if step == 5:
                other.runs.delete(runs.pop(0).id)
            play_all(other, random.choice(runs), revisions, 3, seed=step % 2)
            tables = store.aggregate.of_division(division)
            with Store.open(place) as fresh:
                assert tables == fresh.aggregate.of_division(division)
                counts = fresh.aggregate.count_distinct(tables) if tables else 0
                assert store.aggregate.count_distinct(tables) == counts
                for run in runs:
                    found = fresh.aggregate.of_run(run.id, rows=step % 2 * 1000)
                    assert store.aggregate.of_run(run.id) == found


@pytest.mark.slow
def test_a_kept_count_forgets_the_newest_run_when_it_is_deleted(place: str) -> None:
    """Its games go, although another run has added later ones."""
    with Store.open(place) as store, Store.open(place) as other:
        revisions = add_bots(store)
        kept, newest = new_run(store), new_run(store, stream="s2")
        for run in (kept, newest):
            play_all(other, run, revisions, 2)
        assert sum(row.record.pairs for row in store.aggregate.of_division(kept.division_id)) == 4
        other.runs.delete(newest.id)
        play_all(other, kept, revisions, 1, seed=3)
        assert sum(row.record.pairs for row in store.aggregate.of_division(kept.division_id)) == 3


@pytest.mark.slow
def test_the_aggregate_equals_a_slow_recount(store: Store) -> None:
    """After random pairs every counter equals what a plain loop over the games counts."""
    revisions = add_bots(store)
    run = new_run(store)
    play_all(store, run, revisions, 40)
    tables = {(t.a_revision, t.b_revision): t for t in store.aggregate.of_division(run.division_id)}
    games = list(store.games.stream(thoughts=True))
    assert len(games) == 80
    for (a, b), table in tables.items():
        assert a < b
        ours = [g for g in games if {g.first_revision, g.second_revision} == {a, b}]
        a_first = {g.pair_id: g for g in ours if g.first_revision == a}
        b_first = {g.pair_id: g for g in ours if g.first_revision == b}
        order = [Result.LOSS, Result.DRAW, Result.WIN]
        counts = [0] * 9
        for pair, game in a_first.items():
            mirrored = b_first[pair].result.mirrored
            counts[3 * order.index(game.result) + order.index(mirrored)] += 1
        assert list(table.record.grid) == counts
        assert (
            sum(table.record.wdl)
            == 2 * table.record.pairs
            == sum(2 * n for n in table.record.pentanomial)
        )
        for revision, totals in ((a, table.a), (b, table.b)):
            seats = [(g, 0 if g.first_revision == revision else 1) for g in ours]
            told = [t for g, seat in seats for t in g.thoughts[seat::2]]
            assert totals.sums == {
                MOVES: len(told),
                TIME: sum(t.time_us for t in told),
                LONGEST: max(t.time_us for t in told),
                SIMULATIONS: sum(t.simulations or 0 for t in told),
                SEARCHED: sum(t.time_us for t in told if t.simulations),
            }
            for reason in FORFEITS:
                count = totals.failures.get(reason, 0)
                mine = [g for g, seat in seats if g.termination == reason and g.offender == seat]
                assert count == len(mine)
    assert sum(t.record.pairs for t in tables.values()) == 40
    everything = store.aggregate.of_division(run.division_id)
    assert store.aggregate.of_division(run.division_id, since=0) == everything
    assert store.aggregate.of_run(run.id) == everything
    assert store.aggregate.of_division(run.division_id, since=2e9) == []
    assert list(store.audit.outcomes()) == []


@pytest.mark.slow
def test_wrong_outcomes_are_found_and_repaired(store: Store) -> None:
    """Every column of an outcome is compared with the games; a repair restores all of them."""
    revisions = add_bots(store)
    run = new_run(store)
    play_all(store, run, revisions, len(OUTCOME))
    tables, pairs = store.aggregate.of_division(run.division_id), store.pairs.of_run(run.id)
    for key, name in enumerate(OUTCOME, start=1):
        value = "'win'" if "result" in name else "'crash'" if "termination" in name else "-1"
        execute_sql(store.where, f"UPDATE pairs SET {name} = {value} WHERE id = {key}")  # noqa: S608
    found = list(store.audit.outcomes())
    texts = {name for name in OUTCOME if "result" in name or "termination" in name}
    for key, name in enumerate(OUTCOME, start=1):
        if name not in texts:  # a text may have been right
            assert sum(fault.startswith(f"pair {key}: its {name} is -1") for fault in found) == 1
    assert store.audit.repair_outcomes() == len({fault.partition(":")[0] for fault in found})
    with Store.open(store.where) as again:
        assert again.aggregate.of_division(run.division_id) == tables
    assert store.pairs.of_run(run.id) == pairs
    assert list(store.audit.outcomes()) == []


def test_the_content_of_a_pair_is_that_of_its_games() -> None:
    """Whichever bot is A, equal games give equal content; another board or line another one."""
    contents = [
        pair_content("6x7", ("334", "33"), lower_first=True),
        pair_content("6x7", ("33", "334"), lower_first=False),
        pair_content("6x7", ("33", "334"), lower_first=True),
        pair_content("7x6", ("334", "33"), lower_first=True),
    ]
    assert contents[0] == contents[1]
    assert len(set(contents)) == 3
    assert all(-(2**63) <= content < 2**63 for content in contents)
