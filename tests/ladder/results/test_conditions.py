"""Pages of games hold what the database holds, in order."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from db.errors import UnknownRow
from db.records.games import GameQuery
from engine.result import Result, Termination
from ladder.results.conditions import search
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


@pytest.mark.parametrize("limit", [1, 7, 30])
@pytest.mark.parametrize(
    "query",
    [
        GameQuery(),
        GameQuery(bot="alpha", moved_first=True),
        GameQuery(run_id=2, shortest=7),
        GameQuery(division_id=1, result=Result.DRAW),
        GameQuery(forfeit=True),
    ],
)
def test_pages_find_what_one_query_finds(league: League, query: GameQuery, limit: int) -> None:
    """Following `next` from page to page must give the games of one query, in the same order."""
    found = search(league.store, query, limit)
    games = [*found.games]
    while found.next is not None:
        found = search(league.store, replace(query, before=found.next), limit)
        games += found.games
    assert games == league.store.games.newest(query, 100)
    assert games


@pytest.mark.slow
def test_names_that_are_unknown_are_refused(league: League) -> None:
    """A bot, an opponent or a run that does not exist must be refused."""
    for query in (
        GameQuery(bot="nobody"),
        GameQuery(bot="alpha", opponent="nobody"),
        GameQuery(run_id=99),
    ):
        with pytest.raises(UnknownRow):
            search(league.store, query, 5)
