"""Bots with their revisions, divisions and runs."""

from dataclasses import replace

import msgspec
import pytest

from db.errors import NameTaken, UnknownRow
from db.records.analysis import GameVerdict
from db.records.launch import Launch
from db.records.run_settings import StoredSettings
from db.records.runs import (
    Conditions,
    NewRun,
    RunKind,
    RunStatus,
)
from db.store import Store
from tests.db.making import (
    LAUNCH,
    add_bots,
    ensure_revision,
    new_bot,
    new_run,
    play_all,
    revision,
)
from tests.support.sql import execute_sql


def test_a_bot_is_read_as_it_was_registered(store: Store) -> None:
    """All that was registered comes back, with revision 1."""
    new = replace(new_bot("v4"), based_on="v3")
    new = replace(new, revision=replace(new.revision, boards=("standard",)))
    bot = store.bots.add(new)
    assert (bot.name, bot.family, bot.spec, bot.based_on) == ("v4", "uct", "builtin:v4", "v3")
    assert (bot.change, bot.retired_at) == ("an idea", None)
    made = bot.revision
    assert (made.number, made.content_hash, made.launch) == (1, "one", LAUNCH)
    assert (made.budgets, made.boards) == (("time", "simulations"), ("standard",))
    assert made.files == {"kernel.py": "one"}
    assert store.bots.get("v4") == bot
    assert store.bots.all() == [bot]


def test_a_name_is_registered_once(store: Store) -> None:
    """A taken name is refused, even a retired bot's, and nothing changes."""
    store.bots.add(new_bot("v1"))
    with pytest.raises(NameTaken, match="registered"):
        store.bots.add(new_bot("v1", "two"))
    store.bots.retire("v1")
    with pytest.raises(NameTaken, match="retired"):
        store.bots.add(new_bot("v1", "two"))
    assert store.bots.get("v1").revision.content_hash == "one"


def test_retired_bots_leave_the_list(store: Store) -> None:
    """A retired bot is in the list only on request; retiring again changes nothing."""
    add_bots(store, 2)
    gone = store.bots.retire("v1")
    assert gone.retired_at is not None
    assert store.bots.retire("v1") == gone
    assert [bot.name for bot in store.bots.all()] == ["v2"]
    assert [bot.name for bot in store.bots.all(include_retired=True)] == ["v1", "v2"]
    assert store.bots.get("v1") == gone


def test_an_unknown_bot_is_named(store: Store) -> None:
    """An unknown name is an error that names it."""
    for call in (
        store.bots.get,
        store.bots.retire,
        store.bots.unretire,
        store.bots.delete,
        lambda name: store.bots.rename(name, "x"),
        lambda name: ensure_revision(store, name, revision()),
    ):
        with pytest.raises(UnknownRow, match="'nobody'"):
            call("nobody")


def test_new_content_makes_a_new_revision(store: Store) -> None:
    """New content becomes the current revision, the same content changes nothing."""
    first = store.bots.add(new_bot("v1")).revision
    assert ensure_revision(store, "v1", revision("one")) == first
    second = ensure_revision(store, "v1", revision("two"))
    assert (second.number, second.bot_id) == (2, first.bot_id)
    assert store.bots.get("v1").revision == second
    assert ensure_revision(store, "v1", revision("two")) == second


def test_returning_to_old_content_returns_to_its_revision(store: Store) -> None:
    """Old content makes its old revision the current one again."""
    first = store.bots.add(new_bot("v1")).revision
    ensure_revision(store, "v1", revision("two"))
    assert ensure_revision(store, "v1", revision("one")) == first
    assert store.bots.get("v1").revision == first
    assert ensure_revision(store, "v1", revision("three")).number == 3


def test_another_way_of_starting_is_no_other_player(store: Store) -> None:
    """The launch of known content is updated in its revision."""
    first = store.bots.add(new_bot("v1")).revision
    moved = replace(revision("one"), launch=Launch(command=("other",), folder="/x"))
    changed = ensure_revision(store, "v1", moved)
    assert (changed.id, changed.launch) == (first.id, moved.launch)
    assert store.bots.get("v1").revision == changed


@pytest.mark.parametrize(
    ("conditions", "label"),
    [
        (Conditions("thu", 0, {"time_ms": 100}), "thu/100ms"),
        (Conditions("6x7", 4, {"simulations": 1000}), "6x7+4/1000sims"),
        (
            Conditions("6x7,thu", None, {"depth": 3, "nodes": 50}, None, 4),
            "6x7,thu+auto/depth3,50nodes",
        ),
        (Conditions("6x7,thu", None, {"depth": 3}, None, 6), "6x7,thu+auto6/depth3"),
        (Conditions("6x7,thu", None, {"depth": 3}, None, 0), "6x7,thu+auto0/depth3"),
        (Conditions("thu", 0, {"time_ms": 9}, adjudicate=12), "thu/9ms/adjudicate12"),
    ],
)
def test_a_division_is_created_once_with_a_label(
    store: Store, conditions: Conditions, label: str
) -> None:
    """A division is created once and has a short label."""
    made = store.divisions.ensure(conditions)
    assert (made.label, made.conditions) == (label, conditions)
    turned = msgspec.structs.replace(
        conditions, budget=dict(reversed([*conditions.budget.items()]))
    )
    assert store.divisions.ensure(turned) == made
    assert store.divisions.all() == [made]


def test_a_division_is_found_by_id_label_or_beginning(store: Store) -> None:
    """A division is found by id, label or unique beginning; otherwise the error lists them."""
    with pytest.raises(UnknownRow, match="no games"):
        store.divisions.find("thu")
    fast = store.divisions.ensure(Conditions("thu", 0, {"time_ms": 10}))
    slow = store.divisions.ensure(Conditions("thu", 0, {"time_ms": 100}))
    fixed = store.divisions.ensure(Conditions("6x7", 4, {"time_ms": 100}))
    assert store.divisions.find(str(slow.id)) == slow
    assert store.divisions.find("thu/10ms") == fast
    longer = store.divisions.ensure(Conditions("6x7@0,0", 4, {"time_ms": 100}))
    for words in ("6x7", "6X7", "standard", "standard+4", "standard+4/100ms"):
        assert store.divisions.find(words) == fixed, words
    assert store.divisions.find("6x7@0,0") == longer
    with pytest.raises(UnknownRow, match=r"ambiguous \(thu/10ms, thu/100ms\)"):
        store.divisions.find("thu")
    with pytest.raises(UnknownRow, match="6x7\\+4/100ms"):
        store.divisions.find("9x9")


def test_divisions_of_two_defaults_differ(store: Store) -> None:
    """The key of the first default lacks the number, as keys of older versions do."""
    first, other = (
        store.divisions.ensure(Conditions("6x7,thu", None, {"time_ms": 100}, fixed_opening=plies))
        for plies in (4, 6)
    )
    assert (first.fixed_opening, other.fixed_opening) == (4, 6)
    keys = [key for (key,) in execute_sql(store.where, "SELECT key FROM divisions ORDER BY id")]
    assert keys[0] == '{"boards":"6x7,thu","budget":{"time_ms":100},"opening_plies":null}'
    assert '"fixed_opening":6' in keys[1]
    with pytest.raises(ValueError, match="openings"):
        store.divisions.ensure(Conditions("6x7,thu", None, {"time_ms": 100}))
    with pytest.raises(ValueError, match="budget"):
        store.divisions.ensure(Conditions("thu", 0, {"hours": 1}))


def test_a_run_has_a_status_and_is_found_by_its_identity(store: Store) -> None:
    """A run starts as running, ends with a time, and can be found by what identifies it."""
    one, two = new_run(store), new_run(store, rated=False, stream="s2")
    assert (one.status, one.ended_at, one.target_games) == (RunStatus.RUNNING, None, 200)
    assert one.settings.bots == {"v1": "one", "v2": "one"}
    store.runs.set_status(one.id, RunStatus.INTERRUPTED)
    stopped = store.runs.get(one.id)
    assert stopped.status is RunStatus.INTERRUPTED
    assert stopped.ended_at is not None
    assert stopped.ended_at >= one.started_at
    assert stopped.target_games == 200
    store.runs.set_status(one.id, RunStatus.RUNNING, target_games=400)
    assert store.runs.get(one.id) == replace(one, target_games=400)
    assert [run.id for run in store.runs.find()] == [two.id, one.id]
    assert [run.id for run in store.runs.find(stream="s1")] == [one.id]
    assert [run.id for run in store.runs.find(identity="i1", status=RunStatus.RUNNING)] == [2, 1]
    assert store.runs.latest() == store.runs.get(one.id)
    assert store.runs.latest(RunKind.MATCH) == store.runs.get(two.id)
    assert store.runs.latest(None) == store.runs.get(two.id)
    assert store.runs.latest(RunKind.GATE) is None
    for call in (store.runs.get, lambda key: store.runs.set_status(key, RunStatus.FINISHED)):
        with pytest.raises(UnknownRow, match="no run 99"):
            call(99)


def test_a_replaced_bot_has_the_new_content_and_keeps_its_old_games_apart(store: Store) -> None:
    """The bot gets a new revision, specification and note, and is unretired."""
    first = store.bots.add(new_bot("v1"))
    store.bots.retire("v1")
    new = replace(new_bot("v1", "two"), spec="exec:./v1", family="foreign", change="better")
    row = store.bots.replace(new)
    assert (row.id, row.spec, row.family, row.change) == (
        first.id,
        "exec:./v1",
        "foreign",
        "better",
    )
    assert row.retired_at is None
    assert (row.revision.number, row.revision.content_hash) == (2, "two")
    assert store.bots.get("v1") == row
    with pytest.raises(UnknownRow, match="'v9'"):
        store.bots.replace(new_bot("v9"))


def test_finished_pairs_are_those_of_their_run_and_numbers(store: Store) -> None:
    """Bots of a run without pairs have no games, and a part of a stream ends before its end."""
    revisions, run = add_bots(store), new_run(store)
    bots = StoredSettings(bots={"v3": "one", "v4": "one"})
    idle = NewRun(run.kind, True, "s2", "i2", bots, 7, run.division_id, 200)
    store.runs.create(idle)
    assert store.bots.names_with_games() == set()
    play_all(store, run, revisions[:2], 8)
    assert store.bots.names_with_games() == {"v1", "v2"}
    found = store.pairs.of_stream("s1", start=2, stop=5)
    assert [pair.number for pair in found] == [2, 3, 4]


def test_verdicts_on_a_game_that_is_gone_are_not_stored(store: Store) -> None:
    """It was deleted while it was analysed."""
    run = new_run(store)
    play_all(store, run, add_bots(store), 1)
    for game in (1, 99):
        store.analysis.save([], GameVerdict(game, 1, 10, b""))
    judged = store.analysis.judged(run.division_id, games=[1, 99])
    assert [verdict.game_id for verdict in judged] == [1]
