"""The table of games in memory gives what the database gives."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.errors import UnknownRow
from db.records.games import GameQuery
from engine.result import Result, Termination
from ladder.results.overview import game_table
from ladder.results.overview.game_table import GameTable
from ladder.results.overview.search import search
from ladder.stats.sequential_elo import rate_pair
from tests.support.data.league import Game, League

NAMES = ("alpha", "beta", "gamma")
SCORES = ("1-0", "0-1", "1/2")
ENDINGS = (None, Termination.TIMEOUT, None, Termination.CRASH, Termination.ADJUDICATED)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    """Two runs of two divisions with games of all kinds."""
    with League(tmp_path_factory.mktemp("table") / "games.db", *NAMES) as made:
        for time_ms in (100, 200):
            run = made.run(time_ms=time_ms)
            for number in range(12):
                made.pair(
                    run,
                    NAMES[number % 3],
                    NAMES[(number + 1) % 3],
                    Game(SCORES[number % 3], ENDINGS[number % 5], plies=5 + number),
                    Game(SCORES[number // 3 % 3], plies=20 - number),
                )
        yield made


@pytest.fixture(scope="module")
def table(league: League) -> GameTable:
    """The table of it."""
    made = GameTable()
    while not made.catch_up(league.store):
        pass
    return made


def maybe(*values: object) -> st.SearchStrategy[object]:
    return st.one_of(st.none(), st.none(), st.sampled_from(values))


queries = st.fixed_dictionaries(
    {
        "bot": maybe(*NAMES),
        "opponent": maybe(*NAMES),
        "result": maybe(*Result),
        "forfeit": st.booleans(),
        "since": maybe(1_700_000_010.0, 1_800_000_000.0),
        "run_id": maybe(1, 2),
        "division_id": maybe(1, 2, 3),
        "before": maybe(1, 7, 30, 10**9),
        "moved_first": maybe(True, False),
        "board": maybe("6x7", "9x9"),
        "termination": maybe(*Termination),
        "shortest": maybe(7, 12, 50),
        "longest": maybe(7, 12, 50),
    }
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conditions=queries)
def test_the_table_finds_what_the_database_finds(
    league: League, table: GameTable, conditions: dict[str, object]
) -> None:
    """Under any conditions the same games must be found, in the same order."""
    if conditions["bot"] is None:
        conditions |= {"opponent": None, "moved_first": None}
    query = GameQuery(**conditions)  # type: ignore[arg-type]
    expected = league.store.games.newest(query, 5)
    assert table.newest(league.store, query, 5).games == expected
    found = search(league.store, query, 5, GameTable(most=16), longest_s=60)
    assert [*found.games] == [*expected]


def test_names_that_are_unknown_are_refused(league: League, table: GameTable) -> None:
    """A bot, an opponent or a run that is not there must be named, as without the table."""
    for query in (
        GameQuery(bot="nobody"),
        GameQuery(bot="alpha", opponent="nobody"),
        GameQuery(run_id=99),
    ):
        with pytest.raises(UnknownRow):
            table.newest(league.store, query, 5)


def test_a_deleted_run_is_noticed(tmp_path: Path) -> None:
    """Games of a run that takes the place of a deleted one must be found, its own not."""
    with League(tmp_path / "games.db", *NAMES) as league:
        table = GameTable()
        run = league.run()
        league.pairs(run, "alpha", "beta", 3, "1-0", "0-1")
        assert len(search(league.store, GameQuery(bot="beta"), 50, table).games) == 6
        league.store.runs.delete(run.id, rate_pair)
        assert search(league.store, GameQuery(bot="beta"), 50, table).games == []
        league.pairs(league.run(), "alpha", "gamma", 2, "1-0", "0-1")
        assert len(search(league.store, GameQuery(bot="gamma"), 50, table).games) == 4
        assert table.count == 4


def test_a_table_that_is_not_read_yet_is_done_without(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While there is more to read, the stored games themselves must be looked through."""
    monkeypatch.setattr(game_table, "STEP", 10)
    table, counts = GameTable(), []
    while table.count < 48:
        found = search(league.store, GameQuery(bot="alpha"), 50, table, longest_s=60)
        assert len(found.games) == 32
        counts.append(table.count)
    assert counts == [10, 20, 30, 40, 48]


def test_a_table_has_a_most_and_older_games_are_found_all_the_same(tmp_path: Path) -> None:
    """However many games are stored, only the latest may be kept, and none may be lost."""
    with League(tmp_path / "games.db", *NAMES) as league:
        run, table = league.run(), GameTable(most=16)
        for number in range(40):
            league.pair(run, NAMES[number % 3], NAMES[(number + 1) % 3], "1-0", "0-1")
            for query in (GameQuery(), GameQuery(bot="beta"), GameQuery(before=9)):
                found = search(league.store, query, 7, table, longest_s=60)
                assert [*found.games] == [*league.store.games.newest(query, 7)]
            assert table.count <= 18
        late = GameTable(most=16)
        assert late.catch_up(league.store)
        assert late.count == 16
