"""The data of a bot's page."""

import re
from pathlib import Path

from db.records.runs import RunKind
from ladder.results.pages import read_bot_page
from reports.html.live.pages import bot_page
from reports.html.live.site import Frame, page_html
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


def test_the_page_of_a_bot_lists_its_versions_as_the_terminal_does(tmp_path: Path) -> None:
    """Its table has the line of `report --history`, with links to the other versions."""
    with League(tmp_path / "games.db", "other") as league:
        league.revisions["old"] = league.add("old")
        league.revisions["new"] = league.add("new", based_on="old", change="looks deeper")
        run = league.run()
        for opponent in ("old", "other"):
            league.pair(run, "new", opponent, "1-0", "0-1")
        page = read_bot_page(league.store, "new", None)
        assert [version.row.name for version in page.line] == ["old", "new"]
        shown = page_html(bot_page(page), Frame("", ""))
    section = shown.partition("<h2>Versions</h2>")[2].partition("</section>")[0]
    assert re.findall(r'<a href="/bots/(\w+)"', section) == ["old", "new"]
    assert "looks deeper" in section
