"""The query that `docs/report.md` shows for the tables."""

import re
from pathlib import Path

import pytest

from engine.result import Termination
from tests.support.data.league import Game, League
from tests.support.sql import execute_sql

PAGE = Path(__file__).resolve().parents[2] / "docs" / "report.md"


@pytest.mark.slow
def test_the_shown_query_answers_what_the_page_says(place: str) -> None:
    """On both kinds of databases."""
    (query,) = re.findall(r"^```sql\n(.*?);\n```", PAGE.read_text(), re.M | re.S)
    with League(place, "a", "b", "c") as league:
        run = league.run()
        league.pairs(run, "a", "b", 2, "1-0", "0-1")
        league.pair(run, "b", "c", Game("0-1", Termination.CRASH, 12), Game("1-0", None, 15))
        league.pair(run, "a", "c", "1/2", "1-0")
        league.run()
    answer = [tuple(row) for row in execute_sql(place, query)]
    assert answer == [("a", "draw", 1), ("a", "win", 2), ("b", "loss", 3), ("c", "win", 2)]
