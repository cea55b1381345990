"""Distinct games are counted among the games of a list only."""

from collections.abc import Iterable
from random import Random

import msgspec
import pytest
from sqlalchemy import event

from db.records.aggregate import PairTableRow
from db.records.games import GameQuery, GameRow
from db.records.pairs import PlannedPair
from db.records.runs import RunRow
from db.store import Store
from tests.db.making import add_bots, ensure_revision, new_run, played, revision, to_plan
from tests.support.sql import execute_sql
from tests.support.storing import finish_pair


def play(store: Store, run: RunRow, a: int, b: int, line: int, started: float = 1e9) -> None:
    """Store a pair of two revisions; pairs of the same `line` have the same moves."""
    (row,) = store.pairs.plan(run.id, 1, lambda n: PlannedPair(a, b, "9x10", "thu", (), n))
    record = played(row, Random(line))
    games = tuple(msgspec.structs.replace(game, started=started) for game in record.games)
    finish_pair(store, to_plan(row), msgspec.structs.replace(record, games=games))


def lines(games: Iterable[GameRow]) -> int:
    return len({(game.board, game.moves) for game in games})


def listed(tables: list[PairTableRow], revisions: set[int]) -> list[PairTableRow]:
    return [row for row in tables if {row.a_revision, row.b_revision} <= revisions]


@pytest.mark.slow
def test_distinct_games_are_those_of_a_plain_count(store: Store) -> None:
    """For every choice of revisions, for a time span and for each run the count is that of a set.

    Games of former revisions, unrated games and those of other bots, which were stored before with
    the same moves, make no game of a list a repeated one.
    """
    random = Random(1)
    revisions = add_bots(store, 4)
    revisions.append(ensure_revision(store, "v1", revision("two")).id)
    runs = [new_run(store, rated=rated, stream=f"{n}") for n, rated in enumerate((True, False))]
    other = new_run(store, boards="6x7", stream="other")
    for moment in range(60):
        run = random.choice([*runs, runs[0], other])
        a, b = random.sample(revisions, 2)
        play(store, run, a, b, random.randrange(25), started=1000.0 + moment)
    division = runs[0].division_id
    games = list(store.games.stream(GameQuery(division_id=division, rated=True)))
    tables = store.aggregate.of_division(division)
    for size in range(1, 6):
        chosen = set(random.sample(revisions, size))
        mine = [game for game in games if {game.first_revision, game.second_revision} <= chosen]
        assert store.aggregate.count_distinct(listed(tables, chosen)) == lines(mine)
    since = store.aggregate.of_division(division, since=1030.0)
    late = [game for game in games if game.started_at >= 1030.0]
    assert store.aggregate.count_distinct(since, since=1030.0) == lines(late)
    distinct: dict[tuple[int, ...], set[frozenset[tuple[object, ...]]]] = {}
    for game in games:
        both = [one for one in games if one.pair_id == game.pair_id]
        sides = tuple(sorted((game.first_revision, game.second_revision)))
        moves = frozenset((one.board, one.moves, one.first_revision) for one in both)
        distinct.setdefault(sides, set()).add(moves)
    first = store.aggregate.with_distinct_pairs(tables)
    for row in first:
        assert row.record.distinct == len(distinct[row.a_revision, row.b_revision])
    for line in (1000, 1000, 1001):  # later calls read the new pairs
        play(store, runs[0], first[0].a_revision, first[0].b_revision, line)
    later = store.aggregate.with_distinct_pairs(store.aggregate.of_division(division))
    assert [row.record.distinct for row in later] == [
        (row.record.distinct or 0) + 2 * (row is first[0]) for row in first
    ]
    for run in runs:
        own = store.games.stream(GameQuery(run_id=run.id))
        found = store.aggregate.count_distinct(store.aggregate.of_run(run.id), run_id=run.id)
        assert found == lines(own)


@pytest.mark.slow
def test_bots_of_other_divisions_do_not_count(store: Store) -> None:
    """A bot outside of a list is left out, whichever bots other divisions have."""
    a, b, outside, elsewhere = add_bots(store, 4)
    run, other = new_run(store), new_run(store, boards="6x7", stream="other")
    for _ in range(2):
        play(store, run, a, b, 1)
    play(store, run, a, outside, 2)
    play(store, other, a, elsewhere, 3)
    tables = store.aggregate.of_division(run.division_id)
    assert store.aggregate.count_distinct(listed(tables, {a, b})) == 2


def test_a_pair_that_is_half_in_the_span_is_not_counted(store: Store) -> None:
    """A list since a moment counts complete pairs only, and so do its distinct games."""
    a, b = add_bots(store, 2)
    run = new_run(store)
    play(store, run, a, b, 1)
    play(store, run, a, b, 1)
    play(store, run, a, b, 2)
    execute_sql(store.where, "UPDATE games SET started_at = 5 WHERE id IN (1, 2, 5)")
    store.audit.repair_outcomes()
    tables = store.aggregate.of_division(run.division_id, since=10.0)
    assert sum(row.record.pairs for row in tables) == 1
    assert store.aggregate.count_distinct(tables, since=10.0) == 2


@pytest.mark.slow
@pytest.mark.sqlite_file
def test_no_game_is_read_to_count_pairs_or_distinct_games(place: str) -> None:
    """Counts and sums come from one index of pairs, distinct games from one index of games."""
    store = Store.open(place)
    a, b = add_bots(store, 2)
    run = new_run(store)
    play(store, run, a, b, 1)
    play(store, run, a, b, 1)
    asked: list[str] = []
    event.listen(
        store.engine,
        "before_cursor_execute",
        lambda *arguments: asked.append(arguments[2]),
    )
    tables = store.aggregate.of_division(run.division_id)
    assert store.aggregate.count_distinct(tables) == 2
    store.close()
    for index, words in (("ix_pairs_counts", "GROUP BY"), ("ix_games_lines", "count(DISTINCT")):
        (counted,) = (sql for sql in asked if words in sql and "JOIN" not in sql)
        plan = execute_sql(place, f"EXPLAIN QUERY PLAN {counted}", [1] * counted.count("?"))
        assert f"COVERING INDEX {index}" in str(plan)
        assert "TEMP B-TREE FOR GROUP BY" not in str(plan)
