"""The data of a bot's page."""

from pathlib import Path

from db.records.runs import RunKind
from ladder.results.overview.bot_page import read_bot_page
from tests.support.data.league import League


def test_the_page_of_a_bot_shows_the_division_of_its_latest_rated_game(tmp_path: Path) -> None:
    """Later unrated games leave it; a bot without rated games gets that of its latest game."""
    with League(tmp_path / "games.db", "a", "b", "new") as league:
        league.pair(league.run(time_ms=100), "a", "b", "1-0", "0-1")
        gate = league.run(kind=RunKind.GATE, time_ms=20)
        league.pair(gate, "a", "new", "1-0", "0-1")
        shown = {name: read_bot_page(league.store, name, None) for name in ("a", "new")}
        assert shown["a"].division is not None
        assert shown["new"].division is not None
        assert shown["a"].division.budget == {"time_ms": 100}
        assert shown["new"].division.budget == {"time_ms": 20}
        assert shown["a"].standing is not None
