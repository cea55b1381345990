"""Renaming, unretiring and deleting bots; deleting runs with everything derived from them."""

from pathlib import Path
from random import Random

import pytest

from db.errors import Conflict, InUse, NameTaken, UnknownRow
from db.records.aggregate import PairTableRow
from db.records.run_settings import SelectSettings, settings_of
from db.records.runs import Conditions, NewRun, RunKind, RunRow, TuningStepRow
from db.store import Store
from tests.db.making import (
    add_bots,
    ensure_revision,
    maker,
    new_bot,
    new_play,
    new_run,
    play_all,
    played,
    revision,
    to_plan,
)
from tests.support.storing import finish_pair


@pytest.mark.slow
def test_a_renamed_bot_keeps_everything_else(store: Store) -> None:
    """Renaming keeps games, ratings and revisions, and changes `based_on` of others."""
    revisions = add_bots(store)
    run = new_run(store)
    play_all(store, run, revisions, 10)
    store.bots.add(new_bot("v9", based_on="v1"))
    before = store.bots.get("v1")
    games = [game for game in store.games.stream() if "v1" in (game.first, game.second)]
    renamed = store.bots.rename("v1", "first")
    assert (renamed.id, renamed.revision) == (before.id, before.revision)
    assert store.bots.get("v9").based_on == "first"
    now = [game for game in store.games.stream() if "first" in (game.first, game.second)]
    assert [game.id for game in now] == [game.id for game in games]
    assert list(store.audit.outcomes()) == []
    with pytest.raises(UnknownRow, match="'v1'"):
        store.bots.get("v1")


FIELD = {"against": "v2", "indifference": 20, "confidence": 0.9, "max_games": 8}


def experiment(store: Store, **settings: object) -> RunRow:
    """Return a run of v1 and v2 with settings as commands store them."""
    budget = {"time_ms": 100, "time_ms@v1": 200}
    division = store.divisions.ensure(Conditions("thu", 0, budget))
    told = {"bots": {"v1": "one", "v2": "one"}, "budget": budget, **settings}
    return store.runs.create(
        NewRun(RunKind.SELECT, False, "s", "i", settings_of("select", told), 7, division.id)
    )


def test_stored_runs_show_a_renamed_bot_by_its_new_name(store: Store) -> None:
    """Settings, verdict and division follow; the run is no longer found by its identity."""
    add_bots(store)
    run = experiment(store, pairing="gate:v1:v2,v1", select=FIELD)
    store.runs.set_verdict(run.id, "best: v1")
    assert store.runs.find(stream="s") == store.runs.find(identity="i") == store.runs.find()
    store.bots.rename("v1", "first")
    store.bots.rename("v2", "v1")
    shown = store.runs.get(run.id)
    assert shown.settings.bots == {"first": "one", "v1": "one"}
    assert shown.settings.pairing == "gate:first:v1,first"
    assert shown.settings.budget == {"time_ms": 100, "time_ms@first": 200}
    assert isinstance(shown.settings, SelectSettings)
    assert shown.settings.select is not None
    assert shown.settings.select.against == "v1"
    assert shown.verdict == "best: first"
    assert shown.renamed == {"v1": "first", "v2": "v1"}
    division = store.divisions.find("thu")
    assert (division.id, division.label) == (run.division_id, "thu/100ms,first=200ms")
    assert store.divisions.ensure(division.conditions) == division
    assert store.runs.find() == [shown]
    assert store.runs.find(stream="s") == store.runs.find(identity="i") == []
    store.bots.rename("v1", "v2")
    store.bots.rename("first", "v1")
    assert store.runs.find(stream="s") == store.runs.find()
    assert store.runs.get(run.id).settings == run.settings


def test_a_name_that_a_division_with_odds_holds_is_refused(store: Store) -> None:
    """A division's odds for a deleted bot must not become another bot's."""
    add_bots(store)
    experiment(store)
    store.bots.delete("v1")
    store.divisions.ensure(Conditions("thu", 0, {"time_ms": 100, "time_ms@v2": 200}))
    with pytest.raises(NameTaken, match="odds for a bot called 'v1'"):
        store.bots.rename("v2", "v1")
    assert store.bots.get("v2").name == "v2"


def test_a_taken_name_is_refused(store: Store) -> None:
    """Another bot's name is refused, even if retired; its own name changes nothing."""
    add_bots(store, 3)
    store.bots.retire("v3")
    for taken in ("v2", "v3"):
        with pytest.raises(NameTaken, match=taken):
            store.bots.rename("v1", taken)
    before = store.bots.get("v1")
    assert store.bots.rename("v1", "v1") == before


def test_a_bot_without_games_is_deleted(store: Store) -> None:
    """Its revisions and dropped pairs are deleted with it; those of others stay."""
    a, b = add_bots(store, 2)
    ensure_revision(store, "v1", revision("two"))
    run = new_run(store)
    rows = store.pairs.plan(run.id, 3, maker([a, b]))
    store.pairs.drop([row.id for row in rows])
    store.bots.delete("v1")
    assert [bot.name for bot in store.bots.all(include_retired=True)] == ["v2"]
    assert store.audit.integrity() == []
    assert store.bots.add(new_bot("v1")).revision.number == 1


@pytest.mark.slow
def test_keys_of_deleted_rows_are_not_reused(store: Store) -> None:
    """References to a deleted bot, run, pair or game must not lead to another one."""
    revisions = add_bots(store)
    run = new_run(store)
    play_all(store, run, revisions, 3)
    last_game = max(game.id for game in store.games.stream())
    (planned,) = store.pairs.plan(run.id, 1, maker(revisions))
    store.runs.delete(run.id)
    again = new_run(store)
    assert again.id > run.id
    (row,) = store.pairs.plan(again.id, 1, maker(revisions))
    assert row.id > planned.id
    finished = finish_pair(store, to_plan(row), played(row, Random(1)))
    assert min(finished or ()) > last_game
    deleted = store.bots.add(new_bot("v9"))
    store.bots.delete("v9")
    fresh = store.bots.add(new_bot("v9"))
    assert fresh.id > deleted.id
    assert fresh.revision.id > deleted.revision.id
    with pytest.raises(UnknownRow, match="was deleted while it played"):
        store.plays.add(new_play(deleted.revision.id))


@pytest.mark.slow
def test_a_broken_constraint_is_refused_with_a_remedy(store: Store) -> None:
    """A row that refers to a deleted one is refused in a sentence; an equal one changes nothing."""
    revisions = add_bots(store)
    run = new_run(store)
    gone = max(revisions) + 1
    with pytest.raises(Conflict, match=r"refused a change \(.*\): another command has deleted"):
        store.pairs.plan(run.id, 1, maker([gone, gone + 1]))
    step = TuningStepRow(
        step=1, a={}, b={}, pentanomial=(1, 0, 0, 0, 0), forfeits=0, estimate={}, duration_us=1
    )
    for _ in range(2):  # a repetition changes nothing
        store.tuning_steps.add(run.id, step)
    assert store.tuning_steps.of_run(run.id) == [step]


def test_a_bot_with_games_is_not_deleted(store: Store) -> None:
    """Finished games, planned pairs and games of people each keep a bot; the error names them."""
    revisions = add_bots(store, 6)
    run = new_run(store)
    play_all(store, run, revisions[:2], 1)
    ensure_revision(store, "v1", revision("two"))  # its games are of a former revision
    store.pairs.plan(run.id, 1, maker(revisions[2:4]))
    play = store.plays.add(new_play(revisions[4]))
    for name, why in (
        ("v1", f"stored games \\(run {run.id}\\): retire it"),
        ("v2", f"stored games \\(run {run.id}\\): retire it"),
        ("v3", f"pairs to play in run {run.id}"),
        ("v4", f"pairs to play in run {run.id}"),
        ("v5", f"stored games \\(run {store.games.get_many([play])[0].run_id}\\): retire it"),
    ):
        with pytest.raises(InUse, match=f"{name} has {why}"):
            store.bots.delete(name)
    store.bots.delete("v6")
    assert len(store.bots.all()) == 5


def _derived(store: Store, division: int) -> tuple[list[PairTableRow], int]:
    tables = store.aggregate.of_division(division)
    return tables, store.aggregate.count_distinct(tables)


def _play(store: Store, runs: dict[str, int], order: str, *, left_out: str = "") -> None:
    """Store pairs of the runs in turn; four in a row have the same moves."""
    revisions = [bot.revision.id for bot in store.bots.all()]
    for number, run in enumerate(order):
        if run == left_out:
            continue
        (row,) = store.pairs.plan(runs[run], 1, maker(revisions[:2]))
        record = played(row, Random(number // 4))
        finish_pair(store, to_plan(row), record)


@pytest.mark.slow
@pytest.mark.parametrize("deleted", "ab")
def test_a_deleted_run_leaves_no_trace(tmp_path: Path, deleted: str) -> None:
    """Counts and distinct games equal those of a database that never had the run."""
    order = "abbabaabab"
    results = []
    for left_out in ("", deleted):
        with Store.open(str(tmp_path / f"without{left_out}.db")) as store:
            add_bots(store)
            runs = {name: new_run(store, stream=name).id for name in "ab"}
            _play(store, runs, order, left_out=left_out)
            division = store.runs.get(runs["a"]).division_id
            if not left_out:
                other = new_run(store, boards="6x7", stream="other")
                play_all(store, other, [bot.revision.id for bot in store.bots.all()], 4)
                kept = _derived(store, other.division_id)
                assert store.runs.delete(runs[deleted]) == 2 * order.count(deleted)
                assert _derived(store, other.division_id) == kept
                assert store.games.count_by_run() == {
                    runs["b" if deleted == "a" else "a"]: 2 * (len(order) - order.count(deleted)),
                    other.id: 8,
                }
                with pytest.raises(UnknownRow, match=f"no run {runs[deleted]}"):
                    store.runs.get(runs[deleted])
            assert list(store.audit.outcomes()) == []
            assert store.audit.integrity() == []
            results.append(_derived(store, division))
    assert results[0] == results[1]
    assert results[0][1] < 2 * sum(row.record.pairs for row in results[0][0])


def test_a_run_without_games_is_deleted(store: Store) -> None:
    """Its planned pairs are deleted, their numbers become free, and nothing else changes."""
    revisions = add_bots(store)
    run = new_run(store)
    store.pairs.plan(run.id, 5, maker(revisions))
    assert store.runs.delete(run.id) == 0
    assert store.runs.find() == []
    again = new_run(store)
    assert [row.number for row in store.pairs.plan(again.id, 2, maker(revisions))] == [0, 1]
    with pytest.raises(UnknownRow, match="no run 99"):
        store.runs.delete(99)


def test_a_run_in_play_is_not_deleted(store: Store) -> None:
    """While a process holds the run's lock, nothing is deleted, and the error names the process."""
    revisions = add_bots(store)
    run = new_run(store)
    play_all(store, run, revisions, 3)
    lock = store.run_lock()
    assert lock.try_acquire(run.id)
    with pytest.raises(InUse, match="run 1 is being played"):
        store.runs.delete(run.id)
    assert store.games.count(run.id) == 6
    lock.release(run.id)
    assert store.runs.delete(run.id) == 6
    assert not lock.is_alive(run.id)
    lock.close()
