"""Pages of games hold what the database holds, in order."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.errors import UnknownRow
from db.records.games import GameQuery
from engine.result import Result, Termination
from ladder.results.overview.games import search
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


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conditions=queries, first=st.integers(1, 30))
def test_pages_find_what_one_query_finds(
    league: League, conditions: dict[str, object], first: int
) -> None:
    """Following `next` from page to page must give the games of one query, in the same order."""
    if conditions["bot"] is None:
        conditions |= {"opponent": None, "moved_first": None}
    query = GameQuery(**conditions)  # type: ignore[arg-type]
    expected = league.store.games.newest(query, 100)
    found = search(league.store, query, first)
    games = [*found.games]
    if found.next is not None:
        games += search(league.store, replace(query, before=found.next), 100).games
    assert games == expected


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
