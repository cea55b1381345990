"""`ladder suite` with bots that play."""

from xml.etree.ElementTree import fromstring

import pytest

from tests.end_to_end.conftest import Ladder


@pytest.mark.slow
def test_a_suite_is_made_checked_and_played(ladder: Ladder) -> None:
    """It is made from careless games, and played under two budgets."""
    made = ladder("suite", "make", "mine.jsonl", "--boards", "4x5", "--count", "5", "--json")
    assert made.code == 0, made.err
    assert made.document["puzzles"] == 5 == sum(made.document["themes"].values())
    words = ("suite", "run", "random", "stupid", "mine.jsonl", "--simulations", "2,1")
    done = ladder(*words, "--junit", "suite.xml", "--json")
    assert done.code == 0, done.err
    found = done.document
    assert (found["suite"], found["positions"]) == ("mine", 5)
    assert [(each["bot"], each["budget"]) for each in found["results"]] == [
        (bot, {"simulations": amount}) for bot in ("random", "stupid") for amount in (1, 2)
    ]
    for each in found["results"]:
        assert each["of"] == 5 == each["solved"] + len(each["wrong"])
        assert sum(share["of"] for share in each["by_theme"].values()) == 5
        assert each["failures"] == []
    suite = fromstring((ladder.folder / "suite.xml").read_text())[0]
    assert suite.get("tests") == "4"
    table = ladder(*words)
    assert "solved" in table.out
    assert not (ladder.folder / "ladder.db").exists()


@pytest.mark.slow
def test_puzzles_are_found_in_stored_games(ladder: Ladder) -> None:
    """Positions come from the games of a database, which stay as they are."""
    play = ("--simulations", "1", "--boards", "5x5", "--concurrency", "1", "--seed", "3")
    assert ladder.instant()("match", "random", "stupid", "--games", "30", *play).code == 0
    made = ladder("suite", "make", "mine.jsonl", "--stored", "--count", "3", "--json")
    assert made.code == 0, made.err
    assert made.document["puzzles"] == 3
