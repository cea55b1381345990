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
def test_bad_input_is_refused_and_writes_nothing(ladder: Ladder) -> None:
    """One sentence, exit code 2, nothing played and nothing written."""
    ladder("suite", "make", "mine.jsonl", "--boards", "4x5", "--count", "2")
    for words, sentence in (
        (("run", "random"), "name a bot and a suite"),
        (("run", "random", "missing.jsonl"), "missing.jsonl cannot be read"),
        (("run", "nobody", "mine.jsonl"), "nobody"),
        (("run", "random", "mine.jsonl", "--time", "soon"), "--time: "),
        (("run", "random", "mine.jsonl", "--simulations", "1,x"), "--simulations: "),
        (("run", "random", "mine.jsonl", "--simulations", "0"), "from 1 to"),
        (("run", "random", "mine.jsonl", "--time", "1s", "--nodes", "5"), "cannot be combined"),
        (("run", "v1", "mine.jsonl", "--depth", "5"), "v1 plays on time or simulations"),
        (("make", "no/such.jsonl"), "does not exist"),
        (("make", "x.jsonl", "--stored"), "no database"),
        (("make", "x.jsonl", "--division", "1"), "give both"),
        (("make", "x.jsonl", "--boards", "3x3"), "--boards: rows must be 4..12"),
    ):
        done = ladder("suite", *words)
        assert (done.code, done.out) == (2, ""), (words, done)
        assert sentence in done.err, (words, done.err)
    assert sorted(path.name for path in ladder.folder.iterdir()) == ["mine.jsonl"]


@pytest.mark.slow
def test_puzzles_are_found_in_stored_games(ladder: Ladder) -> None:
    """Positions come from the games of a database, which stay as they are."""
    play = ("--simulations", "1", "--boards", "5x5", "--concurrency", "1", "--seed", "3")
    assert ladder("match", "random", "stupid", "--games", "30", *play).code == 0
    made = ladder("suite", "make", "mine.jsonl", "--stored", "--count", "3", "--json")
    assert made.code == 0, made.err
    assert made.document["puzzles"] == 3
