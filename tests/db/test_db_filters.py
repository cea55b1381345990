"""Conditions on games and moments of a division, compared with a count of all its games."""

from collections.abc import Callable
from random import Random

import pytest

from db.records.games import GameQuery, GameRow
from db.store import Store
from engine.result import Termination
from tests.db.making import add_bots, maker, new_run, play_all, played, to_plan
from tests.support.sql import execute_sql


def games(store: Store, query: GameQuery | None = None) -> list[GameRow]:
    return list(store.games.stream(query))


@pytest.mark.slow
def test_each_condition_includes_its_bound(store: Store) -> None:
    """Lengths, moments and terminations find the games that a loop over all of them finds."""
    play_all(store, new_run(store), add_bots(store), 6)
    everything = games(store)

    def ids(condition: Callable[[GameRow], bool]) -> list[int]:
        return [game.id for game in everything if condition(game)]

    for game in everything:
        plies, began, ending = len(game.moves), game.started_at, game.termination
        for query, expected in (
            (GameQuery(shortest=plies), ids(lambda each, n=plies: len(each.moves) >= n)),  # type: ignore[misc]
            (GameQuery(longest=plies), ids(lambda each, n=plies: len(each.moves) <= n)),  # type: ignore[misc]
            (GameQuery(since=began), ids(lambda each, n=began: each.started_at >= n)),  # type: ignore[misc]
            (GameQuery(termination=ending), ids(lambda each, n=ending: each.termination is n)),  # type: ignore[misc]
        ):
            assert [found.id for found in games(store, query)] == expected
    assert len({game.termination for game in everything}) > 1


@pytest.mark.slow
def test_slices_hold_every_rated_pair_in_its_order(store: Store) -> None:
    """Few slices or one hold the same pairs; those since a moment began then or later."""
    run = new_run(store)
    play_all(store, run, add_bots(store), 30)
    play_all(store, new_run(store, rated=False, stream="s2"), [1, 2], 3)
    for change in (
        "UPDATE pairs SET started_at = started_at + id",
        "UPDATE games SET started_at = started_at + pair_id",
        "UPDATE pairs SET board_class = 'wide' WHERE number < 9",
    ):
        execute_sql(store.where, change)
    (whole,) = store.aggregate.slices(run.division_id, slices=1)
    parts = store.aggregate.slices(run.division_id, slices=5)
    assert sum(row.record.pairs for row in whole.tables) == 30
    assert sum(row.record.pairs for part in parts for row in part.tables) == 30
    assert 1 < len(parts) <= 5
    assert [part.since for part in parts] == sorted(part.since for part in parts)
    firsts = [game.started_at for game in games(store, GameQuery(rated=True)) if game.game == 0]
    assert (whole.since, whole.until) == (min(firsts), max(firsts))
    for moment in firsts:
        late = store.aggregate.slices(run.division_id, since=moment, slices=1)
        expected = sum(began >= moment for began in firsts)
        assert sum(row.record.pairs for part in late for row in part.tables) == expected
    assert store.aggregate.slices(run.division_id, since=max(firsts) + 1) == []


@pytest.mark.slow
def test_a_pair_stored_after_all_later_ones_belongs_to_its_run(store: Store) -> None:
    """A run's views have the games of a slow pair, whose ids lie far from those planned with it."""
    random, run, (one, other) = Random(1), new_run(store), add_bots(store, 2)
    slow, *fast = store.pairs.plan(run.id, 502, maker((one, other)))
    store.pairs.finish_all([(to_plan(row), played(row, random, plies=1)) for row in fast])
    play_all(store, new_run(store, stream="s2"), [one, other], 1)
    record = played(slow, Random(2), plies=9, kinds=(Termination.CRASH,))
    store.pairs.finish_all([(to_plan(slow), record)])
    crashes = sum(game.termination is Termination.CRASH for game in record.games)
    assert crashes > 0
    found = games(store, GameQuery(run_id=run.id, termination=Termination.CRASH, shortest=9))
    assert [game.pair_id for game in found] == [slow.id] * crashes
    tables = store.aggregate.of_run(run.id)
    lines = {(game.board, game.moves) for game in games(store, GameQuery(run_id=run.id))}
    assert store.aggregate.count_distinct(tables, run_id=run.id) == len(lines)
    assert sum(each.games for each in store.games.forfeits(run.id)) == len(
        games(store, GameQuery(run_id=run.id, forfeit=True))
    )
